import type { CDPSession } from 'puppeteer-core';
import { type Page, sentContentType } from '../../../shared/contract/scrape/page.ts';
import { type RequestProgress, withLocation } from '../../../shared/domain/scrape/target/with-location.ts';
import type { Guard } from '../../../shared/egress/guard.ts';
import type { AppError } from '../../../shared/errors.ts';
import {
  type Documents,
  type MainDocument,
  INITIAL,
  resetRedirects,
  cutOff,
  follow,
  netFailure,
  responded,
} from './documents.ts';
import type { Network, Pause } from './network.ts';
import { headOf, headerOf } from './pauses.ts';
import type { Tab } from './tab.ts';

export type MainFrame = {
  document: () => MainDocument | undefined;
  /** Settles early with a page that is not rendered, or with the error that ends the scrape. */
  outcome: Promise<Page>;
  respond: (pause: Pause) => void;
  cutOff: (pause: Pause) => void;
  followRedirect: (pause: Pause) => Promise<void>;
  go: (url: string) => Promise<void>;
  /** An instruction of the caller may navigate now, which is no redirect. */
  expectNavigation: () => void;
  /** Whether the document ended before its length, its chunks or its encoding did. */
  isTruncated: (document: MainDocument) => Promise<boolean>;
  /** Ends the scrape with a body that was kept out of the browser. */
  deliver: (pause: Pause, body: Uint8Array) => void;
  reached: () => RequestProgress;
  fail: (error: AppError) => void;
};

export function followMainFrame(
  { session }: Tab,
  network: Network,
  guard: Pick<Guard, 'faultOf' | 'phaseOf' | 'isTruncated'>,
): MainFrame {
  const { faultOf, isTruncated } = guard;
  const { promise: outcome, resolve, reject: end } = Promise.withResolvers<Page>();
  outcome.catch(() => undefined);
  let state: Documents = INITIAL;
  const reached = () => reachedIn(state, guard);
  const reject = (fault: AppError) => end(withLocation(fault, reached()));
  network.on((fact) => {
    state = follow(state, fact, faultOf);
    if (state.failure) reject(state.failure);
  });
  const hasAnswered = () => (state.pending ?? state.shown) !== undefined;
  const go = navigation(session, hasAnswered, (error) => reject(netFailure(state, error, faultOf)));
  return {
    document: () => state.shown,
    outcome,
    respond: (pause) => void (state = responded(state, { id: pause.networkId ?? '', ...headOf(pause) })),
    cutOff: ({ networkId = '' }) => void (state = cutOff(state, networkId)),
    deliver(pause, body) {
      // Chromium does not report whether a body was cut off.
      const page = pageOf(pause, state, body);
      const fault = faultOf(page.url);
      if (fault) reject(fault);
      else resolve(isTruncated(page.url).then((is) => withSign(page, is)));
    },
    isTruncated: async ({ end, url }) => end === 'cut off' || (end === 'whole' && (await isTruncated(url))),
    followRedirect(pause) {
      state = { ...state, isRedirected: true };
      return go(new URL(headerOf(pause, 'location') ?? '', pause.request.url).href);
    },
    go,
    expectNavigation: () => void (state = resetRedirects(state)),
    reached,
    fail: reject,
  };
}

/** The page, with a sign if its body was cut off. */
export const withSign = (page: Page, isTruncated: boolean): Page =>
  isTruncated ? { ...page, contentTruncated: true } : page;

const pageOf = (pause: Pause, state: Documents, body: Uint8Array): Page => ({
  ...headOf(pause),
  ...sentContentType(headerOf(pause, 'content-type')),
  redirects: (state.pending ?? state).redirects,
  body,
});

/** Navigates to a URL. `fail` gets the `net::ERR_…` of a navigation that failed. */
function navigation(
  session: CDPSession,
  hasAnswered: () => boolean,
  fail: (error: string) => void,
): (url: string) => Promise<void> {
  let turns = 0;
  return async (url) => {
    const turn = (turns += 1);
    const { errorText } = await session.send('Page.navigate', { url });
    if (errorText && isFailure(errorText, hasAnswered() || turn < turns)) fail(errorText);
  };
}

/** Taking a response out of Chromium aborts the navigation; if nothing responded, the abort is a failure. */
const isFailure = (errorText: string, hasAnswered: boolean) =>
  errorText !== 'net::ERR_ABORTED' || !hasAnswered;

function reachedIn(state: Documents, guard: Pick<Guard, 'phaseOf'>): RequestProgress {
  const { request, redirects } = state;
  return { url: request.url, isRedirected: redirects > 0, phase: phaseOf(state, guard) };
}

/** Once a document is there, rendering takes the time. */
function phaseOf(
  { shown, pending, request }: Documents,
  guard: Pick<Guard, 'phaseOf'>,
): RequestProgress['phase'] {
  if (shown) return 'render';
  return pending ? 'body' : guard.phaseOf(request.url);
}
