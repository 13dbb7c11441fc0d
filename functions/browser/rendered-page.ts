import type { RenderRequest } from '../../shared/contract/scrape/messages.ts';
import type { Page, RenderState } from '../../shared/contract/scrape/page.ts';
import { AppError } from '../../shared/errors.ts';
import type { RequestLog } from '../../shared/observe/request-log.ts';
import { deadline } from '../../shared/time/deadline.ts';
import { firstAborted } from '../../shared/time/first-aborted.ts';
import { type TakePictures, picturesOf } from './capture/pictures-of.ts';
import type { MainDocument } from './page/documents.ts';
import { type MainFrame, withSign } from './page/main-frame.ts';
import type { Network } from './page/network.ts';
import { isResponsive } from './readiness/is-responsive.ts';
import type { LoadedPage } from './readiness/settle.ts';
import { type Rendered, type Waits, untilReady } from './readiness/wait-until-ready.ts';
import type { RenderTime } from './render-time.ts';
import type { ScenarioRun } from './scenario/scenario-run.ts';
import { scrollPage } from './scenario/scroll-page.ts';

/** The page of a request, and what watches it. */
export type OpenPage = {
  network: Network;
  frame: MainFrame;
  page: LoadedPage;
  scenario: ScenarioRun | undefined;
};

/** Waits until the page is ready, does what a scenario says, and reads the page, until `whole` aborts. */
export async function renderedPage(
  request: RenderRequest,
  { network, frame, page, scenario }: OpenPage,
  { waits: waiting, lastMs, whole }: Pick<RenderTime, 'waits' | 'lastMs'> & { whole: AbortSignal },
  requestLog: RequestLog,
): Promise<Page> {
  const { activity, browser } = page;
  const takePictures = picturesOf(request, page, network, whole);
  const waitsSignal = firstAborted(whole, waiting, activity.overLimit);
  // A script that never ends would keep the page from being read.
  const wake = () =>
    whole.aborted ? undefined : isResponsive(browser.tab.session, lastMs).catch(() => undefined);
  waitsSignal.addEventListener('abort', () => void wake());
  const ready: Ready = (waits, until = waitsSignal) =>
    untilReady(waits, { page, frame }, { waitsSignal: until, whole }, requestLog);
  const scroll = () => scrollPage(request, { page, network, waitsSignal });
  const state = await act(request, { scenario, ready, scroll, waitsSignal });
  // A page that loads itself again and again has been waited for as long as that is done.
  const again = async (before: Rendered): Promise<Rendered> => {
    if (before.renderWaiting !== 'poll') return ready(afterwards(request));
    await ready({ ...afterwards(request), waitUntil: 'domcontentloaded' });
    return before;
  };
  return readPage(state, again, { page, frame, takePictures, requestLog });
}

/** The first wait has all conditions of the request; later ones are for what a scenario or navigation did. */
const afterwards = ({ waitUntil }: Waits): Waits => ({ waitUntil, waitFor: undefined, wait: 0 });

type Ready = (waits: Waits, until?: AbortSignal) => Promise<Rendered>;
type Acting = {
  scenario: ScenarioRun | undefined;
  ready: Ready;
  scroll: () => Promise<RenderState>;
  waitsSignal: AbortSignal;
};

/** What `wait_for` names may come into being only as the page is scrolled. */
const BEFORE_SCROLLING_MS = 5_000;

async function act(
  request: RenderRequest,
  { scenario, ready, scroll, waitsSignal }: Acting,
): Promise<Rendered> {
  using soon = deadline(BEFORE_SCROLLING_MS, waitsSignal);
  const mayComeLater = request.scroll && request.waitFor !== undefined;
  const first = await ready(request, mayComeLater ? soon.signal : waitsSignal);
  const isLate = mayComeLater && first.renderState === 'partial' && !waitsSignal.aborted;
  const all = isLate ? [] : [first];
  if (scenario) all.push({ renderState: await scenario.run(waitsSignal) }, await ready(afterwards(request)));
  if (request.scroll)
    all.push({ renderState: await scroll() }, await ready(isLate ? request : afterwards(request)));
  const last = all.at(-1);
  // Progress before it was scrolled, or used, may have ended since.
  const isPartial = (each: Rendered) =>
    each.renderState === 'partial' && (each === last || each.renderWaiting !== 'timer');
  return all.findLast(isPartial) ?? { renderState: 'complete' };
}

const MAX_READS = 5;

type Reading = {
  page: Pick<LoadedPage, 'reader'>;
  frame: Pick<MainFrame, 'document' | 'isTruncated'>;
  takePictures: TakePictures | undefined;
  requestLog: RequestLog;
};

/** Waits `again` after each navigation. */
async function readPage(
  first: Rendered,
  again: (before: Rendered) => Promise<Rendered>,
  { page, frame, takePictures, requestLog }: Reading,
): Promise<Page> {
  let rendered = first;
  for (let readsLeft = MAX_READS; readsLeft > 0; readsLeft -= 1) {
    requestLog.enter('serialise');
    const before = frame.document();
    const body = await page.reader.read();
    if (takePictures) requestLog.enter('picture');
    const pictures = body && (await takePictures?.());
    const shown = frame.document();
    // The frame may have navigated meanwhile: the body must belong to the reported document.
    if (body && shown && shown.id === before?.id) {
      const page = { ...pageOf(shown, rendered, body), pictures };
      return withSign(page, await frame.isTruncated(shown));
    }
    rendered = await again(rendered);
  }
  throw new AppError('bad_upstream_response', { cause: new Error('The page never stays.') });
}

function pageOf(
  { status, url, redirects, headers, end }: MainDocument,
  rendered: Rendered,
  body: Uint8Array,
): Page {
  // Chromium renders nothing if only a few bytes arrived.
  if (end === 'cut off' && body.byteLength === 0) throw new AppError('bad_upstream_response');
  const state: Rendered = end === 'cut off' ? { ...rendered, renderState: 'partial' } : rendered;
  return { status, url, redirects, headers, contentType: 'text/html; charset=utf-8', ...state, body };
}
