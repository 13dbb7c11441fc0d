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
  document: () => MainDocument | undefined;
  /** Settles early with a page that is not rendered, or with the error that ends the scrape. */
  verdict: Promise<Page>;
  respond: (pause: Pause) => void;
  cutOff: (pause: Pause) => void;
  goOn: (pause: Pause) => Promise<void>;
  go: (url: string) => Promise<void>;
  /** Ends the scrape with a body that was kept out of the browser. */
  deliver: (pause: Pause, body: Uint8Array) => void;
  fail: (error: AppError) => void;
};

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
    // Taking a response out of Chromium aborts the navigation; if nothing responded, the abort is a failure.
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
      // Chromium does not report whether a body was cut off.
      const fault = faultOf(url);
      if (fault) reject(fault);
      const { responseStatusCode: status = 200 } = pause;
      const { redirects } = state.pending ?? state;
      resolve({ status, url, redirects, ...sentContentType(headerOf(pause, 'content-type')), body });
    },
    goOn(pause) {
      state = { ...state, isRedirected: true };
      return go(new URL(headerOf(pause, 'location') ?? '', pause.request.url).href);
    },
    go,
    fail: reject,
  };
}
