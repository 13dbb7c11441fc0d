import type { Protocol } from 'puppeteer-core';
import { MAX_PAGE_BYTES, MAX_URL_LENGTH, type Page, sentContentType } from '../../../shared/contract/page.ts';
import { isRedirect, MAX_REDIRECTS } from '../../../shared/domain/redirect.ts';
import { bringsUser, isWeb } from '../../../shared/domain/target-url.ts';
import { AppError } from '../../../shared/errors.ts';
import type { Guard } from '../../../shared/egress/guard.ts';
import { netError } from './net-errors.ts';
import { isOutgoing } from './pause-requests.ts';
import type { Tab } from '../tab.ts';
import { headerOf, isBodiless, takeResponse } from './take-response.ts';

/** The document that the main frame shows, or is about to show. */
export type MainDocument = {
  /** Its loader, which is also the id of its request. */
  id: string;
  url: string;
  status: number;
  /** How many moves from one document to another led to it, by redirect or by script. */
  redirects: number;
  bytes: number;
  isCommitted: boolean;
  /** Its end has come; or it was cut off, and will never come. */
  end?: 'whole' | 'cut off';
};

export type MainFrame = {
  /** The newest document; undefined until a response is there. */
  document: () => MainDocument | undefined;
  /** Settles early: with a page that is not for rendering, or with the error that ends the scrape. */
  verdict: Promise<Page>;
  fail: (error: AppError) => void;
  /** The same with Chromium's `net::ERR_…` for it. */
  failNet: (text: string) => void;
};

/** Follows the main frame from document to document, and keeps what it should not load out of it. */
export function followMainFrame({ session: page, mainFrame }: Tab, guard: Pick<Guard, 'faultOf'>): MainFrame {
  const { promise: verdict, resolve, reject } = Promise.withResolvers<Page>();
  verdict.catch(() => undefined);
  let request = { id: '', url: '' };
  let document: MainDocument | undefined;
  let redirects = -1;

  const fail = (error: AppError) => reject(error);
  const failNet = (text: string) => fail(guard.faultOf(request.url) ?? netError(text));
  const current = (id: string) => (document?.id === id ? document : undefined);

  page.on('Network.requestWillBeSent', (event) => {
    // A prefetch by speculation rules has a loader of its own, but the frame does not go there.
    if (event.frameId !== mainFrame || event.requestId !== event.loaderId || event.type !== 'Document')
      return;
    // A move that came to nothing counts as none.
    if (document?.isCommitted && !event.redirectResponse) redirects = document.redirects;
    redirects += 1;
    request = { id: event.requestId, url: event.request.url };
    if (redirects > MAX_REDIRECTS) fail(new AppError('too_many_redirects'));
    if (request.url.length > MAX_URL_LENGTH) fail(new AppError('bad_upstream_response'));
    const url = URL.parse(request.url);
    // To an app or a mail program Chromium goes nowhere, whoever it names.
    if (isWeb(url) && bringsUser(url)) fail(new AppError('url_not_allowed'));
  });
  page.on('Network.dataReceived', ({ requestId, dataLength }) => {
    const receiving = current(requestId);
    if (!receiving) return;
    receiving.bytes += dataLength;
    if (receiving.bytes > MAX_PAGE_BYTES) fail(new AppError('response_too_large'));
  });
  page.on('Network.loadingFinished', ({ requestId }) => {
    const finished = current(requestId);
    if (finished) finished.end = 'whole';
  });
  page.on('Network.loadingFailed', ({ requestId, errorText, canceled }) => {
    if (requestId !== request.id) return;
    const failed = current(requestId);
    // Cut off in the middle, it is still a document, unless there is nothing of it or the guard cut it off.
    if (failed?.isCommitted && failed.bytes > 0 && !guard.faultOf(request.url)) failed.end = 'cut off';
    else if (!canceled) failNet(errorText);
  });
  page.on('Page.frameNavigated', ({ frame, type }) => {
    if (frame.id !== mainFrame) return;
    if (frame.unreachableUrl !== undefined) failNet('net::ERR_FAILED');
    const committed = current(frame.loaderId);
    if (committed) committed.isCommitted = true;
    else if (document && type === 'Navigation' && isWeb(URL.parse(frame.url)))
      document = shownAtOnce(frame, document);
  });
  page.on('Fetch.requestPaused', (event) => {
    // Any other error means that the request was given up meanwhile, which is told as a failure to load.
    if (!isOutgoing(event))
      judge(event).catch((error: unknown) => (error instanceof AppError ? fail(error) : undefined));
  });

  async function judge(event: Protocol.Fetch.RequestPausedEvent): Promise<void> {
    const { requestId, responseStatusCode: status, networkId } = event;
    const location = headerOf(event, 'location');
    // What a link only downloads is told of as the frame's document, but by no network event.
    if (event.frameId === mainFrame && networkId === undefined) {
      await page.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' });
    } else if (event.frameId !== mainFrame || status === undefined) {
      await page.send('Fetch.continueResponse', { requestId });
    } else if (isRedirect(status, location)) {
      if (!isAllowed(location, event.request.url)) throw new AppError('url_not_allowed');
      await page.send('Fetch.continueResponse', { requestId });
    } else if (document?.isCommitted && (isAttachment(event) || isBodiless(status))) {
      // A file that a page starts to download leaves the page where it is, and so does an answer without a body.
      await page.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' });
    } else {
      await take(event, status);
    }
  }

  async function take(event: Protocol.Fetch.RequestPausedEvent, status: number): Promise<void> {
    const { url } = event.request;
    document = { id: request.id, url, status, redirects, bytes: 0, isCommitted: false };
    const body = await takeResponse(page, event);
    if (!body) return;
    // Chromium does not tell a body that was cut off from one that is whole.
    const fault = guard.faultOf(url);
    if (fault) throw fault;
    resolve({ status, url, redirects, ...sentContentType(headerOf(event, 'content-type')), body });
  }
  return { document: () => document, verdict, fail, failNet };
}

/** A document that was rendered ahead, which Chromium does with 2xx alone. It is all there, and has had no request here. */
function shownAtOnce(
  { loaderId, url }: Protocol.Page.Frame,
  { redirects, bytes }: MainDocument,
): MainDocument {
  return { id: loaderId, url, status: 200, redirects: redirects + 1, bytes, isCommitted: true, end: 'whole' };
}

/** Whether a redirect may lead there, as far as the text tells. */
function isAllowed(location: string, from: string): boolean {
  const url = URL.parse(location, from);
  return isWeb(url) && !bringsUser(url);
}

const isAttachment = (event: Protocol.Fetch.RequestPausedEvent) =>
  /^\s*attachment/i.test(headerOf(event, 'content-disposition') ?? '');
