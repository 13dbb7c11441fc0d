import type { RenderRequest } from '../../shared/contract/messages.ts';
import type { Page, RenderState } from '../../shared/contract/page.ts';
import { AppError } from '../../shared/errors.ts';
import type { Guard } from '../../shared/egress/guard.ts';
import type { Trail } from '../../shared/observe/trail.ts';
import { applyRequest } from './page/apply-request.ts';
import { documentReader } from './ready/document-reader.ts';
import type { Chromium } from './isolate/launch-chromium.ts';
import { followMainFrame, type MainDocument, type MainFrame } from './page/main-frame.ts';
import { untilAborted } from '../../shared/until-aborted.ts';
import { waitUntilReady } from './ready/wait-until-ready.ts';
import { watchActivity, type Activity } from './ready/watch-activity.ts';

/** Kept back from the waits, so that there is time left to read what is there. */
const RESERVE_SHARE = 0.1;
const MAX_RESERVE_MS = 1_500;

/** When the scrape is over, and when its waits are. */
type Deadline = { signal: AbortSignal; waits: AbortSignal };

export function deadlineIn(ms: number): Deadline {
  const reserveMs = Math.min(ms * RESERVE_SHARE, MAX_RESERVE_MS);
  return { signal: AbortSignal.timeout(ms), waits: AbortSignal.timeout(Math.round(ms - reserveMs)) };
}

/**
 * Loads the URL in a browser that has loaded nothing before, and gives the rendered DOM, or the target's own bytes if
 * it is no HTML. Throws an AppError: `timeout` when the signal aborts, otherwise what kept the document from coming.
 */
export async function render(
  request: RenderRequest,
  browser: Chromium,
  guard: Pick<Guard, 'faultOf' | 'refuse'>,
  { signal, waits }: Deadline,
  trail: Trail,
): Promise<Page> {
  trail.enter('navigation');
  const { session } = browser.tab;
  const activity = watchActivity(browser.tab);
  const frame = followMainFrame(browser.tab, guard);
  const crashed = () => frame.fail(new AppError('browser_crashed'));
  browser.gone.addEventListener('abort', crashed, { once: true });
  session.on('Inspector.targetCrashed', crashed);
  const ended = new AbortController();
  const whole = AbortSignal.any([signal, ended.signal]);
  try {
    await untilAborted(applyRequest(browser.tab, request, guard), signal);
    session
      .send('Page.navigate', { url: request.url })
      .then(({ errorText }) => judge(frame, errorText), crashed);
    const patience = AbortSignal.any([whole, waits, activity.overgrown]);
    const rendered = renderedPage(request, browser, activity, frame, { waits: patience, whole }, trail);
    return await untilAborted(Promise.race([frame.verdict, rendered]), signal);
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError(signal.aborted ? 'timeout' : 'browser_crashed', { cause });
  } finally {
    ended.abort();
  }
}

/** An aborted navigation is one that was taken out of Chromium's hands, unless nothing ever answered. */
function judge(frame: MainFrame, errorText: string | undefined): void {
  if (errorText && (errorText !== 'net::ERR_ABORTED' || !frame.document())) frame.failNet(errorText);
}

async function renderedPage(
  request: RenderRequest,
  { tab }: Chromium,
  activity: Activity,
  frame: MainFrame,
  { waits, whole }: { waits: AbortSignal; whole: AbortSignal },
  trail: Trail,
): Promise<Page> {
  const reader = documentReader(tab);
  let renderState: RenderState = 'complete';
  try {
    await activity.until(() => frame.document()?.isCommitted === true, waits);
    trail.enter('wait');
    renderState = await waitUntilReady(request, activity, reader, waits);
  } catch (error) {
    if (!waits.aborted) throw error;
    renderState = 'partial';
    await activity.until(() => hasContent(frame.document()), whole);
  }
  trail.enter('serialise');
  const body = await reader.read();
  const { status, url, redirects, end } = frame.document() ?? { status: 200, url: '', redirects: 0 };
  if (end === 'cut off') renderState = 'partial';
  return { status, url, redirects, contentType: 'text/html; charset=utf-8', renderState, body };
}

/** A document is there once some of it is: headers alone are none. */
function hasContent(document: MainDocument | undefined): boolean {
  return document !== undefined && document.isCommitted && (document.bytes > 0 || document.end !== undefined);
}
