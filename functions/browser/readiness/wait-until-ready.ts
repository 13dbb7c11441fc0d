import { setTimeout } from 'node:timers/promises';
import type { RenderRequest } from '../../../shared/contract/scrape/messages.ts';
import type { RenderState } from '../../../shared/contract/scrape/page.ts';
import type { WaitUntil } from '../../../shared/contract/scrape/scrape-request.ts';
import type { RequestLog } from '../../../shared/observe/request-log.ts';
import { deadline } from '../../../shared/time/deadline.ts';
import { untilAborted } from '../../../shared/time/until-aborted.ts';
import type { MainDocument } from '../page/documents.ts';
import type { MainFrame } from '../page/main-frame.ts';
import { type LoadedPage, settle } from './settle.ts';
import type { Activity } from './watch-activity.ts';

/** After the load event. A page that polls is never idle. */
const IDLE_TIMEOUT_MS = 10_000;
const IDLE_MS = 500;

export type Waits = Pick<RenderRequest, 'waitUntil' | 'waitFor' | 'wait'>;

type Loading = { page: LoadedPage; frame: Pick<MainFrame, 'document'> };

/** Waits as requested, or until `waitsSignal` aborts, and then for any document. */
export async function untilReady(
  waits: Waits,
  { page, frame }: Loading,
  { waitsSignal, whole }: { waitsSignal: AbortSignal; whole: AbortSignal },
  requestLog: RequestLog,
): Promise<RenderState> {
  try {
    await page.activity.until(() => frame.document() !== undefined, waitsSignal);
    requestLog.enter('wait');
    return await waitUntilReady(waits, page, waitsSignal);
  } catch (error) {
    if (!waitsSignal.aborted) throw error;
    await page.activity.until(() => hasContent(frame.document()), whole);
    return 'partial';
  }
}

/** Headers without a body are not a document. */
function hasContent(document: MainDocument | undefined): boolean {
  return document !== undefined && (document.bytes > 0 || document.end !== undefined);
}

/** Starts over when the page navigates. `partial` if something is missing. Rejects when the signal aborts. */
async function waitUntilReady(
  { waitUntil, waitFor, wait }: Waits,
  page: LoadedPage,
  signal: AbortSignal,
): Promise<RenderState> {
  const { clock, activity, reader } = page;
  const rest = restsOf(page, signal)[waitUntil];
  const isPresent = async () =>
    waitFor === undefined || (await untilAborted(reader.appeared(waitFor), signal));

  async function ready(): Promise<RenderState> {
    for (;;) {
      const before = activity.documents();
      const isAtRest = await rest();
      if (!(await clock.during(isPresent()))) continue;
      const isStaying = () => activity.documents() > before || !activity.isNavigationDue();
      await clock.during(activity.until(isStaying, signal));
      if (activity.documents() === before) return isAtRest ? 'complete' : 'partial';
    }
  }
  const state = await ready();
  if (wait === 0) return state;
  const before = activity.documents();
  await clock.during(setTimeout(wait, undefined, { signal }));
  return activity.documents() === before && !activity.isNavigationDue() ? state : ready();
}

/** False if the wait was given up. */
function restsOf(page: LoadedPage, signal: AbortSignal): Readonly<Record<WaitUntil, () => Promise<boolean>>> {
  const { clock, activity } = page;
  return {
    domcontentloaded: () => clock.during(activity.until(activity.isParsed, signal)).then(() => true),
    load: () => clock.during(activity.until(activity.isLoaded, signal)).then(() => true),
    async networkidle() {
      await clock.during(activity.until(activity.isLoaded, signal));
      return within(IDLE_TIMEOUT_MS, signal, (limit) => clock.during(idle(activity, limit)));
    },
    settled: () => settle(page, signal),
  };
}

/** False if `ms` are over first. Rejects as the work does, or when the signal aborts. */
async function within(
  ms: number,
  signal: AbortSignal,
  work: (limit: AbortSignal) => Promise<void>,
): Promise<boolean> {
  using limit = deadline(ms, signal);
  try {
    await work(limit.signal);
    return true;
  } catch (error) {
    if (!limit.signal.aborted || signal.aborted) throw error;
    return false;
  }
}

async function idle(activity: Activity, limit: AbortSignal): Promise<void> {
  for (;;) {
    await activity.until(activity.isIdle, limit);
    const left = IDLE_MS - activity.idleMs();
    if (left <= 0) return;
    await setTimeout(left, undefined, { signal: limit });
  }
}
