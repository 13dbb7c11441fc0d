import { type Page, sentContentType } from '../../../shared/contract/page.ts';
import type { AppError } from '../../../shared/errors.ts';
import type { Guard } from '../../../shared/egress/guard.ts';
import {
  cutOff,
  type Documents,
  follow,
  type MainDocument,
  netFailure,
  NOWHERE,
  responded,
} from './documents.ts';
import type { Tab } from '../tab.ts';
import type { Network, Pause } from './network.ts';
import { headerOf } from './pauses.ts';

export type MainFrame = {
  /** What the frame shows, and what there is to read. */
  document: () => MainDocument | undefined;
  /** Settles early: with a page that is not for rendering, or with the error that ends the scrape. */
  verdict: Promise<Page>;
  /** A response for the frame is there, which becomes its document or the page. */
  respond: (pause: Pause) => void;
  /** The end of that response is missing. */
  cutOff: (pause: Pause) => void;
  /** Goes where that redirect leads, as if it had been the first to be asked for. */
  goOn: (pause: Pause) => Promise<void>;
  /** Goes to a URL. */
  go: (url: string) => Promise<void>;
  /** Ends the scrape with the body of a response, which was kept out of the browser. */
  deliver: (pause: Pause, body: Uint8Array) => void;
  fail: (error: AppError) => void;
};

/** Follows the main frame from document to document. */
export function followMainFrame(
  { session }: Tab,
  network: Network,
  { faultOf }: Pick<Guard, 'faultOf'>,
): MainFrame {
  const { promise: verdict, resolve, reject } = Promise.withResolvers<Page>();
  verdict.catch(() => undefined);
  let state: Documents = NOWHERE;
  let turns = 0;

  network.on((fact) => {
    state = follow(state, fact, faultOf);
    if (state.failure) reject(state.failure);
  });
  async function go(url: string): Promise<void> {
    turns += 1;
    const turn = turns;
    const { errorText } = await session.send('Page.navigate', { url });
    // An aborted navigation is one that was taken out of Chromium's hands, unless nothing ever answered.
    const hasAnswered = (state.pending ?? state.shown) !== undefined || turn < turns;
    if (errorText && (errorText !== 'net::ERR_ABORTED' || !hasAnswered))
      reject(netFailure(state, errorText, faultOf));
  }
  return {
    document: () => state.shown,
    verdict,
    respond({ networkId = '', request, responseStatusCode = 200 }) {
      state = responded(state, networkId, request.url, responseStatusCode);
    },
    cutOff({ networkId = '' }) {
      state = cutOff(state, networkId);
    },
    deliver(pause, body) {
      const { url } = pause.request;
      // Chromium does not tell a body that was cut off from one that is whole.
      const fault = faultOf(url);
      if (fault) reject(fault);
      const { responseStatusCode: status = 200 } = pause;
      const { redirects } = state.pending ?? state;
      resolve({ status, url, redirects, ...sentContentType(headerOf(pause, 'content-type')), body });
    },
    goOn(pause) {
      state = { ...state, isLedOn: true };
      return go(new URL(headerOf(pause, 'location') ?? '', pause.request.url).href);
    },
    go,
    fail: reject,
  };
}
