import { type Page, sentContentType } from '../../../shared/contract/page.ts';
import { responseHeaders } from '../../../shared/contract/response-headers.ts';
import { type Reached, withWhereabouts } from '../../../shared/domain/target/with-whereabouts.ts';
import type { AppError } from '../../../shared/errors.ts';
import type { Guard } from '../../../shared/egress/guard.ts';
import {
  anew,
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
  /** An instruction of the caller may navigate now, which is no redirect. */
  expectMove: () => void;
  /** Ends the scrape with a body that was kept out of the browser. */
  deliver: (pause: Pause, body: Uint8Array) => void;
  reached: () => Reached;
  fail: (error: AppError) => void;
};

export function followMainFrame(
  { session }: Tab,
  network: Network,
  guard: Pick<Guard, 'faultOf' | 'phaseOf'>,
): MainFrame {
  const { faultOf } = guard;
  const { promise: verdict, resolve, reject: end } = Promise.withResolvers<Page>();
  verdict.catch(() => undefined);
  let state: Documents = NOWHERE;
  let turns = 0;
  const reached = () => reachedIn(state, guard);
  const reject = (fault: AppError) => end(withWhereabouts(fault, reached()));

  network.on((fact) => {
    state = follow(state, fact, faultOf);
    if (state.failure) reject(state.failure);
  });
  async function go(url: string): Promise<void> {
    const turn = (turns += 1);
    const { errorText } = await session.send('Page.navigate', { url });
    const hasAnswered = (state.pending ?? state.shown) !== undefined || turn < turns;
    if (errorText && isFailure(errorText, hasAnswered)) reject(netFailure(state, errorText, faultOf));
  }
  return {
    document: () => state.shown,
    verdict,
    respond: ({ networkId = '', request, responseStatusCode = 200, ...pause }) =>
      void (state = responded(state, {
        id: networkId,
        url: request.url,
        status: responseStatusCode,
        headers: headersOf(pause),
      })),
    cutOff: ({ networkId = '' }) => void (state = cutOff(state, networkId)),
    deliver(pause, body) {
      // Chromium does not report whether a body was cut off.
      const fault = faultOf(pause.request.url);
      if (fault) reject(fault);
      else resolve({ ...headOf(pause), redirects: (state.pending ?? state).redirects, body });
    },
    goOn(pause) {
      state = { ...state, isRedirected: true };
      return go(new URL(headerOf(pause, 'location') ?? '', pause.request.url).href);
    },
    go,
    expectMove: () => void (state = anew(state)),
    reached,
    fail: reject,
  };
}

/** Taking a response out of Chromium aborts the navigation; if nothing responded, the abort is a failure. */
const isFailure = (errorText: string, hasAnswered: boolean) =>
  errorText !== 'net::ERR_ABORTED' || !hasAnswered;

function reachedIn(state: Documents, guard: Pick<Guard, 'phaseOf'>): Reached {
  const { request, redirects } = state;
  return { url: request.url, isRedirected: redirects > 0, phase: phaseOf(state, guard) };
}

/** Once a document is there, rendering takes the time. */
function phaseOf({ shown, pending, request }: Documents, guard: Pick<Guard, 'phaseOf'>): Reached['phase'] {
  if (shown) return 'render';
  return pending ? 'body' : guard.phaseOf(request.url);
}

const headersOf = ({ responseHeaders: all = [] }: Pick<Pause, 'responseHeaders'>) =>
  responseHeaders(all.map(({ name, value }) => [name, value] as const));

function headOf(pause: Pause) {
  const { responseStatusCode: status = 200, request } = pause;
  const headers = headersOf(pause);
  return { status, url: request.url, headers, ...sentContentType(headerOf(pause, 'content-type')) };
}
