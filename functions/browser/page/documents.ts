import { MAX_PAGE_BYTES, MAX_URL_LENGTH } from '../../../shared/contract/scrape/page.ts';
import { MAX_REDIRECTS } from '../../../shared/domain/scrape/target/redirect.ts';
import { redirectNotAllowed } from '../../../shared/domain/scrape/target/url-refusal.ts';
import { hasCredentials, isWeb } from '../../../shared/domain/scrape/target/target-url.ts';
import type { ResponseHeaders } from '../../../shared/contract/scrape/response-headers.ts';
import { AppError } from '../../../shared/errors.ts';
import { isEmptyBody } from './empty-body.ts';
import { netError } from './net-errors.ts';
import type { Committed, Fact, Requested, Responded } from './fact.ts';

export type MainDocument = {
  /** Its loader id, which is also its request id. */
  id: string;
  url: string;
  status: number;
  /** Redirects by status, script or meta refresh that led here. */
  redirects: number;
  bytes: number;
  headBytes: number;
  headers: ResponseHeaders;
  end?: 'whole' | 'cut off';
};

/** The document the main frame shows, and the one it is loading. */
export type Documents = {
  request: { id: string; url: string };
  redirects: number;
  /** How often a page has loaded itself again. */
  reloads: number;
  /** The next request follows a redirect that Chromium does not report as one. */
  isRedirected?: boolean;
  /** The next navigation follows an instruction of the caller, so its redirects are counted from 0. */
  isReset?: boolean;
  pending?: MainDocument;
  shown?: MainDocument;
  past: readonly MainDocument[];
  failure?: AppError;
};

type FaultOf = (url: string) => AppError | undefined;

/** One a second for a minute. */
const MAX_RELOADS = 60;

export const INITIAL: Documents = { request: { id: '', url: '' }, redirects: -1, reloads: 0, past: [] };

type Response = Pick<MainDocument, 'id' | 'url' | 'status' | 'headers'>;

export function responded(state: Documents, response: Response): Documents {
  return { ...state, pending: { ...response, redirects: state.redirects, bytes: 0, headBytes: 0 } };
}

export function resetRedirects(state: Documents): Documents {
  return { ...state, isReset: true };
}

export function cutOff(state: Documents, id: string): Documents {
  return changed(state, id, () => ({ end: 'cut off' }));
}

export function follow(state: Documents, fact: Fact, faultOf: FaultOf): Documents {
  if (fact.what === 'requested' && fact.isNavigation) return requested(state, fact);
  if (fact.what === 'received') return received(state, fact.id, fact.bytes);
  if (fact.what === 'responded') return headed(state, fact);
  if (fact.what === 'ended') return ended(state, fact.id, fact.wireBytes);
  if (fact.what === 'failed') return failed(state, fact, faultOf);
  return fact.what === 'committed' ? committed(state, fact, faultOf) : state;
}

function headed(state: Documents, { id, wireBytes, served }: Responded): Documents {
  const isNew = served !== undefined && id === state.request.id && state.pending?.id !== id;
  const next = isNew ? responded(state, { id, ...served }) : state;
  return changed(next, id, () => ({ headBytes: wireBytes }));
}

/** The guard's fault if there is one, otherwise the `net::ERR_…` of the last request. */
export function netFailure({ request }: Documents, error: string, faultOf: FaultOf): AppError {
  return faultOf(request.url) ?? netError(error);
}

function requested(state: Documents, { id, url, isRedirect }: Requested): Documents {
  // A navigation that never responded is not counted.
  const isSequel = isRedirect || state.isRedirected === true;
  const before = (isSequel ? undefined : (state.pending ?? state.shown)?.redirects) ?? state.redirects;
  // A waiting room loads itself again and again, which counts once.
  const isReload = !isSequel && isSamePage(state.shown?.url, url);
  const reloads = state.reloads + Number(isReload);
  const further = isReload ? Math.max(before, 1) : before + 1;
  const redirects = state.isReset && !isSequel ? 0 : further;
  const next = {
    ...state,
    request: { id, url },
    redirects,
    reloads,
    isRedirected: false,
    isReset: state.isReset === true && isSequel,
  };
  const isLoop = redirects > MAX_REDIRECTS || reloads > MAX_RELOADS;
  if (isLoop) return failing(next, new AppError('too_many_redirects'));
  if (url.length > MAX_URL_LENGTH) return failing(next, new AppError('bad_upstream_response'));
  const target = URL.parse(url);
  // Chromium follows no link to an app or mail program.
  return isWeb(target) && hasCredentials(target) ? failing(next, new AppError('url_not_allowed')) : next;
}

const isSamePage = (one: string | undefined, other: string) =>
  one !== undefined && withoutHash(one) === withoutHash(other);
const withoutHash = (url: string) => url.replace(/#.*/s, '');

function received(state: Documents, id: string, bytes: number): Documents {
  const next = changed(state, id, (document) => ({ bytes: document.bytes + bytes }));
  const isTooLarge = [next.pending, next.shown].some((document) => (document?.bytes ?? 0) > MAX_PAGE_BYTES);
  return isTooLarge ? failing(next, new AppError('response_too_large')) : next;
}

function ended(state: Documents, id: string, wireBytes: number): Documents {
  const document = [state.pending, state.shown].find((one) => one?.id === id);
  if (!document || document.end === 'cut off') return state;
  // The body could not be decoded, or was cut off before it decoded to anything.
  const isUndecoded = document.bytes === 0 && !isEmptyBody(document.headers, wireBytes - document.headBytes);
  if (isUndecoded) return failing(state, new AppError('bad_upstream_response'));
  return changed(state, id, () => ({ end: 'whole' }));
}

function failed(state: Documents, fact: Extract<Fact, { what: 'failed' }>, faultOf: FaultOf): Documents {
  const { shown, request } = state;
  // A partial document still counts, unless it is empty or the guard ended it.
  const isCutOff = shown?.id === fact.id && shown.bytes > 0 && !faultOf(shown.url);
  if (isCutOff) return changed(state, fact.id, () => ({ end: 'cut off' }));
  if (fact.id !== request.id || fact.isCanceled) return state;
  return failing(state, netFailure(state, fact.error, faultOf));
}

function committed(state: Documents, { id, url, ...fact }: Committed, faultOf: FaultOf): Documents {
  const { pending, shown, past } = state;
  // An error page without a request comes from a target that frames may not load, such as about:srcdoc.
  if (fact.isErrorPage && id !== state.request.id) return failing(state, redirectNotAllowed(url));
  if (fact.isErrorPage) return failing(state, netFailure(state, 'net::ERR_FAILED', faultOf));
  if (pending?.id === id) return show(state, pending);
  const restored = fact.isRestored ? past.find((document) => document.id === id) : undefined;
  if (restored) return show(state, { ...restored, redirects: state.redirects });
  if (!shown || shown.id === id) return state;
  // A prerendered document: always 2xx, complete, and without a request in this session.
  if (isWeb(URL.parse(url)))
    return show(state, {
      ...shown,
      id,
      url,
      status: 200,
      headers: {},
      redirects: shown.redirects + 1,
      end: 'whole',
    });
  // A document the page created itself (about:, blob:, javascript:) keeps the previous name.
  return show(state, { ...shown, id });
}

function show(state: Documents, document: MainDocument): Documents {
  const { shown, past, pending, ...rest } = state;
  const stillPending = pending && pending.id !== document.id ? { pending } : {};
  return {
    ...rest,
    ...stillPending,
    shown: document,
    past: shown ? [...past.slice(-MAX_REDIRECTS), shown] : past,
  };
}

function changed(
  state: Documents,
  id: string,
  change: (document: MainDocument) => Partial<MainDocument>,
): Documents {
  const { pending, shown } = state;
  if (pending?.id === id) return { ...state, pending: { ...pending, ...change(pending) } };
  return shown?.id === id ? { ...state, shown: { ...shown, ...change(shown) } } : state;
}

function failing(state: Documents, failure: AppError): Documents {
  return { ...state, failure: state.failure ?? failure };
}
