import { type Page, sentContentType } from '../../../shared/contract/page.ts';
import type { AppError } from '../../../shared/errors.ts';
import type { Guard } from '../../../shared/egress/guard.ts';
import { type Documents, follow, type MainDocument, netFailure, NOWHERE, responded } from './documents.ts';
import type { Network, Pause } from './network.ts';
import { headerOf } from './pauses.ts';

export type MainFrame = {
  /** What the frame shows, and what there is to read. */
  document: () => MainDocument | undefined;
  /** Any document has answered, whether it is shown yet or not. */
  hasAnswered: () => boolean;
  /** Settles early: with a page that is not for rendering, or with the error that ends the scrape. */
  verdict: Promise<Page>;
  /** A response for the frame is there, which becomes its document or the page. */
  respond: (pause: Pause) => void;
  /** Ends the scrape with the body of a response, which was kept out of the browser. */
  deliver: (pause: Pause, body: Uint8Array) => void;
  fail: (error: AppError) => void;
  /** The same with Chromium's `net::ERR_…` for it. */
  failNet: (error: string) => void;
};

/** Follows the main frame from document to document. */
export function followMainFrame(network: Network, { faultOf }: Pick<Guard, 'faultOf'>): MainFrame {
  const { promise: verdict, resolve, reject } = Promise.withResolvers<Page>();
  verdict.catch(() => undefined);
  let state: Documents = NOWHERE;

  network.on((fact) => {
    state = follow(state, fact, faultOf);
    if (state.failure) reject(state.failure);
  });
  return {
    document: () => state.shown,
    hasAnswered: () => (state.pending ?? state.shown) !== undefined,
    verdict,
    respond({ networkId = '', request, responseStatusCode = 200 }) {
      state = responded(state, networkId, request.url, responseStatusCode);
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
    fail: reject,
    failNet: (error) => reject(netFailure(state, error, faultOf)),
  };
}
