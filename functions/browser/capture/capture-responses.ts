import type { CDPSession } from 'puppeteer-core';
import type { Captured, CaptureRule } from '../../../shared/contract/scrape/capture.ts';
import { succeedsWithin } from '../../../shared/time/succeeds-within.ts';
import { untilAborted } from '../../../shared/time/until-aborted.ts';
import type { Tab } from '../page/tab.ts';
import { bodyKeeper } from './keep-bodies.ts';
import { headKeeper, type OpenFetch } from './keep-heads.ts';

export type Capture = {
  /** Makes Chromium keep bodies from now on. */
  begin: () => Promise<unknown>;
  /** What was kept, in the order of the responses. Waits for the last bodies until the signal aborts. */
  all: (signal: AbortSignal) => Promise<Captured[]>;
};

/** Bodies are read as they arrive, so this is for the last ones. */
const LAST_BODIES_MS = 500;

/** Of the page, of frames of other sites, and of workers of every kind. */
export function openCapture(
  { session: page, shared, keepBodies }: Tab,
  rules: readonly CaptureRule[] | undefined,
): Capture | undefined {
  if (!rules) return undefined;
  const heads = headKeeper(rules);
  const bodies = bodyKeeper();
  function watch(session: CDPSession, owners: readonly CDPSession[] = []): void {
    const open = new Map<string, OpenFetch>();
    heads.watch(session, open);
    bodies.watch(session, owners, open);
    session.on('sessionattached', (child) => watch(child, [session, ...owners]));
  }
  watch(page);
  watch(shared);
  return {
    begin: keepBodies,
    all: async (signal) => {
      await untilAborted(succeedsWithin(bodies.read(), LAST_BODIES_MS), signal).catch(() => undefined);
      return heads.kept;
    },
  };
}
