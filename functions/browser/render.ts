import type { RenderRequest } from '../../shared/contract/messages.ts';
import type { Page, RenderState } from '../../shared/contract/page.ts';
import { withWhereabouts } from '../../shared/domain/target/with-whereabouts.ts';
import { AppError } from '../../shared/errors.ts';
import type { Guard } from '../../shared/egress/guard.ts';
import type { Trail } from '../../shared/observe/trail.ts';
import { openPerformance, type Performance } from './actions/performance.ts';
import { applyRequest } from './page/apply-request.ts';
import { openCapture } from './page/capture.ts';
import { answerPauses } from './page/answer-pauses.ts';
import { documentReader } from './ready/document-reader.ts';
import type { Chromium } from './isolate/launch-chromium.ts';
import type { MainDocument } from './page/documents.ts';
import { followMainFrame, type MainFrame } from './page/main-frame.ts';
import { openNetwork } from './page/network.ts';
import { picturesOf, type TakePictures } from './pictures/pictures-of.ts';
import { firstAborted } from '../../shared/time/first-aborted.ts';
import { untilAborted } from '../../shared/time/until-aborted.ts';
import type { RenderTime } from './render-time.ts';
import { pageClock } from './ready/page-clock.ts';
import { isAwake } from './ready/settle.ts';
import { type LoadedPage, type Waits, waitUntilReady } from './ready/wait-until-ready.ts';
import { watchActivity } from './ready/watch-activity.ts';
import { watchFlow } from './ready/watch-flow.ts';

const MAX_READS = 5;

/** Throws an AppError: `timeout` when the signal aborts, otherwise the failure of the document. */
export async function render(
  request: RenderRequest,
  browser: Chromium,
  guard: Pick<Guard, 'faultOf' | 'phaseOf' | 'setHostFilter'>,
  { signal, waits, lastMs }: RenderTime,
  trail: Trail,
): Promise<Page> {
  trail.enter('navigation');
  const { session } = browser.tab;
  const network = openNetwork(browser.tab);
  const frame = followMainFrame(browser.tab, network, guard);
  const activity = watchActivity(network);
  const reader = documentReader(browser.tab, network);
  const page = { clock: pageClock(browser.tab, watchFlow(network)), activity, reader, browser };
  const performance = openPerformance(request, page, network, frame);
  const capture = openCapture(session, request.capture);
  answerPauses(browser.tab, network, frame, request);
  const crashed = () => frame.fail(new AppError('browser_crashed'));
  browser.gone.addEventListener('abort', crashed, { once: true });
  session.on('Inspector.targetCrashed', crashed);
  const ended = new AbortController();
  const whole = firstAborted(signal, ended.signal);
  try {
    await untilAborted(Promise.all([applyRequest(browser.tab, request, guard), capture?.begin()]), signal);
    frame.go(request.url).catch(crashed);
    const takePictures = picturesOf(request, page, network, whole);
    const patience = firstAborted(whole, waits, activity.overgrown);
    // A script that never ends would keep the page from being read.
    const wake = () => (whole.aborted ? undefined : isAwake(session, lastMs).catch(() => undefined));
    patience.addEventListener('abort', () => void wake());
    const ready = (waits: Waits) => untilReady(waits, page, frame, { waits: patience, whole }, trail);
    const rendered = act(request, performance, ready, patience).then((state) =>
      renderedPage(state, () => ready(afterwards(request)), { page, frame, takePictures, trail }),
    );
    const got = await untilAborted(Promise.race([frame.verdict, rendered]), signal);
    const reported = performance?.withReport(got) ?? got;
    return capture ? { ...reported, captured: await capture.all() } : reported;
  } catch (cause) {
    const fault = new AppError(signal.aborted ? 'timeout' : 'browser_crashed', { cause });
    const known = await explained(cause instanceof AppError ? cause : fault, browser);
    const whole = withWhereabouts(known, frame.reached());
    throw performance?.reported(whole) ?? whole;
  } finally {
    ended.abort();
  }
}

/** The log's cause of a crash is how Chromium ended, not the call that this interrupted. */
async function explained(fault: AppError, { gone, end }: Chromium): Promise<AppError> {
  const isEnd = fault.code === 'browser_crashed' && gone.aborted;
  return isEnd ? new AppError('browser_crashed', { cause: await end() }) : fault;
}

/** The first wait has all conditions of the request; later ones are for what a scenario or navigation did. */
const afterwards = ({ waitUntil }: Waits): Waits => ({ waitUntil, waitFor: undefined, wait: 0 });

type Ready = (waits: Waits) => Promise<RenderState>;

/** Waits until the page is ready, and does what a scenario says. */
async function act(
  request: RenderRequest,
  performance: Performance | undefined,
  ready: Ready,
  patience: AbortSignal,
): Promise<RenderState> {
  const state = await ready(request);
  if (!performance) return state;
  const states = [state, await performance.act(patience), await ready(afterwards(request))];
  return states.includes('partial') ? 'partial' : 'complete';
}

type Reading = {
  page: LoadedPage;
  frame: MainFrame;
  takePictures: TakePictures | undefined;
  trail: Trail;
};

async function renderedPage(
  first: RenderState,
  again: () => Promise<RenderState>,
  { page, frame, takePictures, trail }: Reading,
): Promise<Page> {
  let renderState = first;
  for (let readsLeft = MAX_READS; readsLeft > 0; readsLeft -= 1) {
    trail.enter('serialise');
    const before = frame.document();
    const body = await page.reader.read();
    if (takePictures) trail.enter('picture');
    const pictures = body && (await takePictures?.());
    const shown = frame.document();
    // The frame may have navigated meanwhile: the body must belong to the reported document.
    if (body && shown && shown.id === before?.id) return { ...pageOf(shown, renderState, body), pictures };
    renderState = await again();
  }
  throw new AppError('bad_upstream_response', { cause: new Error('The page never stays.') });
}

function pageOf(
  { status, url, redirects, headers, end }: MainDocument,
  state: RenderState,
  body: Uint8Array,
): Page {
  // Chromium renders nothing if only a few bytes arrived.
  if (end === 'cut off' && body.byteLength === 0) throw new AppError('bad_upstream_response');
  const renderState = end === 'cut off' ? 'partial' : state;
  return { status, url, redirects, headers, contentType: 'text/html; charset=utf-8', renderState, body };
}

/** Waits as requested, or until time is short, and then for any document. */
async function untilReady(
  waiting: Waits,
  page: LoadedPage,
  frame: MainFrame,
  { waits, whole }: { waits: AbortSignal; whole: AbortSignal },
  trail: Trail,
): Promise<RenderState> {
  try {
    await page.activity.until(() => frame.document() !== undefined, waits);
    trail.enter('wait');
    return await waitUntilReady(waiting, page, waits);
  } catch (error) {
    if (!waits.aborted) throw error;
    await page.activity.until(() => hasContent(frame.document()), whole);
    return 'partial';
  }
}

/** Headers without a body are not a document. */
function hasContent(document: MainDocument | undefined): boolean {
  return document !== undefined && (document.bytes > 0 || document.end !== undefined);
}
