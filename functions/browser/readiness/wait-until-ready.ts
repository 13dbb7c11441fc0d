import { setTimeout } from 'node:timers/promises';
import type { RenderRequest } from '../../../shared/contract/scrape/messages.ts';
import type { PageHead } from '../../../shared/contract/scrape/page.ts';
import type { WaitUntil } from '../../../shared/contract/scrape/scrape-request.ts';
import type { RequestLog } from '../../../shared/observe/request-log.ts';
import { deadline } from '../../../shared/time/deadline.ts';
import { untilAborted } from '../../../shared/time/until-aborted.ts';
import type { MainDocument } from '../page/documents.ts';
import type { MainFrame } from '../page/main-frame.ts';
import { type LoadedPage, type Settled, settle } from './settle.ts';
import { TIMEOUT_MS } from './readiness.ts';
import type { Activity } from './watch-activity.ts';

/** After the load event. A page that polls is never idle. */
const IDLE_TIMEOUT_MS = 10_000;
const IDLE_MS = 500;
/** What the last document of a page that reloads gets at least. */
const LAST_MS = 500;
/** The longest that a timer can take. */
const NEVER_MS = 2 ** 31 - 1;

/** How a page was when its wait ended. */
export type Rendered = Pick<PageHead, 'renderState' | 'renderWaiting'>;
const COMPLETE: Rendered = { renderState: 'complete' };

export type Waits = Pick<RenderRequest, 'waitUntil' | 'waitFor' | 'wait'>;

type Loading = { page: LoadedPage; frame: Pick<MainFrame, 'document'> };

/** Waits as requested, or until `waitsSignal` aborts, and then for any document. */
export async function untilReady(
  waits: Waits,
  { page, frame }: Loading,
  { waitsSignal, whole }: { waitsSignal: AbortSignal; whole: AbortSignal },
  requestLog: RequestLog,
): Promise<Rendered> {
  try {
    await page.activity.until(() => frame.document() !== undefined, waitsSignal);
    requestLog.enter('wait');
    return await waitUntilReady(waits, page, waitsSignal);
  } catch (error) {
    if (!waitsSignal.aborted) throw error;
    await page.activity.until(() => hasContent(frame.document()), whole);
    return partial(page.activity.opens());
  }
}

const partial = (renderWaiting: Rendered['renderWaiting']): Rendered => ({
  renderState: 'partial',
  ...(renderWaiting && { renderWaiting }),
});

/** Headers without a body are not a document. */
function hasContent(document: MainDocument | undefined): boolean {
  return document !== undefined && (document.bytes > 0 || document.end !== undefined);
}

/** Starts over when the page navigates. `partial` if something is missing. Rejects when the signal aborts. */
async function waitUntilReady(
  { waitUntil, waitFor, wait }: Waits,
  page: LoadedPage,
  signal: AbortSignal,
): Promise<Rendered> {
  const { clock, activity, reader } = page;

  async function stays(before: number, limit: AbortSignal): Promise<Settled | undefined> {
    const settled = await restsOf(page, limit)[waitUntil]();
    if (waitFor !== undefined && !(await clock.during(untilAborted(reader.appeared(waitFor), limit))))
      return undefined;
    const isStaying = () => activity.documents() > before || !activity.isNavigationDue();
    await clock.during(activity.until(isStaying, limit));
    return activity.documents() === before ? settled : undefined;
  }
  async function ready(): Promise<Rendered> {
    const begunAt = performance.now();
    for (let isLast = false; ;) {
      const leftMs = TIMEOUT_MS.waiting - (performance.now() - begunAt);
      // Each document may go before its last wait ends.
      if (isLast) return lastOf(page, signal);
      isLast = activity.reloads() > 0 && leftMs <= 0;
      // A page that loads itself again and again would be waited for without end.
      using limit =
        activity.reloads() > 0 ? deadline(Math.max(leftMs, LAST_MS), signal) : deadline(NEVER_MS, signal);
      try {
        const settled = await stays(activity.documents(), limit.signal);
        if (settled) return settled.isWhole ? COMPLETE : partial(settled.waitsFor);
      } catch (error) {
        if (!limit.signal.aborted || signal.aborted) throw error;
        return await lastOf(page, signal);
      }
    }
  }
  const state = await ready();
  if (wait === 0) return state;
  const before = activity.documents();
  await clock.during(setTimeout(wait, undefined, { signal }));
  return activity.documents() === before && !activity.isNavigationDue() ? state : ready();
}

/** Of a page that loads itself again and again. */
async function lastOf({ clock, activity }: LoadedPage, signal: AbortSignal): Promise<Rendered> {
  using last = deadline(LAST_MS, signal);
  await clock.during(activity.until(activity.isParsed, last.signal)).catch(() => undefined);
  return partial('poll');
}

const WHOLE: Settled = { isWhole: true };

/** Not whole if the wait was given up. */
function restsOf(page: LoadedPage, signal: AbortSignal): Readonly<Record<WaitUntil, () => Promise<Settled>>> {
  const { clock, activity } = page;
  return {
    domcontentloaded: () => clock.during(activity.until(activity.isParsed, signal)).then(() => WHOLE),
    load: () => clock.during(activity.until(activity.isLoaded, signal)).then(() => WHOLE),
    async networkidle() {
      await clock.during(activity.until(activity.isLoaded, signal));
      const isWhole = await within(IDLE_TIMEOUT_MS, signal, (limit) => clock.during(idle(activity, limit)));
      return isWhole ? WHOLE : { isWhole, waitsFor: activity.opens() };
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
