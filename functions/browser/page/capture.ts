import type { CDPSession } from 'puppeteer-core';
import type { Captured, CaptureRule } from '../../../shared/contract/capture.ts';
import { inTime } from '../../../shared/time/in-time.ts';
import { untilAborted } from '../../../shared/time/until-aborted.ts';
import { keepBodies } from './keep-bodies.ts';
import { keepHeads, type OpenFetch } from './keep-heads.ts';

export type Capture = {
  /** Has Chromium keep bodies from now on. */
  begin: () => Promise<unknown>;
  /** What was kept, in the order of the requests. Waits for the last bodies until the signal aborts. */
  all: (signal: AbortSignal) => Promise<Captured[]>;
};

/** Bodies are read as they arrive, so this is for the last ones. */
const LAST_BODIES_MS = 500;
/** Larger than what is kept: a body that is too large differs from one that is gone. */
export const KEEP_BODIES = { maxTotalBufferSize: 40_000_000, maxResourceBufferSize: 4_000_000 };

export function openCapture(
  session: CDPSession,
  rules: readonly CaptureRule[] | undefined,
): Capture | undefined {
  if (!rules) return undefined;
  const open = new Map<string, OpenFetch>();
  const kept = keepHeads(session, rules, open);
  const reading = keepBodies(session, open);
  return {
    begin: () => session.send('Network.enable', KEEP_BODIES),
    all: async (signal) => {
      await untilAborted(inTime(Promise.all(reading), LAST_BODIES_MS), signal).catch(() => undefined);
      return kept;
    },
  };
}
