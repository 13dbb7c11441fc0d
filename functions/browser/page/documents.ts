import { MAX_PAGE_BYTES, MAX_URL_LENGTH } from '../../../shared/contract/page.ts';
import { MAX_REDIRECTS } from '../../../shared/domain/target/redirect.ts';
import { bringsUser, isWeb } from '../../../shared/domain/target/target-url.ts';
import { AppError } from '../../../shared/errors.ts';
import { MAX_EMPTY_BYTES } from './take-body.ts';
import { netError } from './net-errors.ts';
import type { Committed, Fact, Requested } from './network.ts';

/** A document of the main frame. */
export type MainDocument = {
  /** Its loader, which is also the id of its request. */
  id: string;
  url: string;
  status: number;
  /** How many moves from one document to another led to it, by redirect or by script. */
  redirects: number;
  /** Decoded. */
  bytes: number;
  /** On the wire, of the response's head alone. */
  headBytes: number;
  /** Its end has come; or it was cut off, and will never come. */
  end?: 'whole' | 'cut off';
};

/** Where the main frame is, and where it is going. What is shown and what was asked for last are kept apart. */
export type Documents = {
  /** The last request for a document. */
  request: { id: string; url: string };
  redirects: number;
  /** The next request follows a redirect, although it does not say so. */
  isLedOn?: boolean;
  /** It has answered, and is not shown yet. */
  pending?: MainDocument;
  /** What the frame shows: the one whose DOM is there to read. */
  shown?: MainDocument;
  /** Those shown before, which may come back without a request. */
  past: readonly MainDocument[];
  /** What ends the scrape: the first of its kind. */
  failure?: AppError;
};

/** Tells what the guard knows of the last failure to reach an address. */
type FaultOf = (url: string) => AppError | undefined;

export const NOWHERE: Documents = { request: { id: '', url: '' }, redirects: -1, past: [] };

/** A response for the main frame goes on into the browser. */
export function responded(state: Documents, id: string, url: string, status: number): Documents {
  return { ...state, pending: { id, url, status, redirects: state.redirects, bytes: 0, headBytes: 0 } };
}

/** Of the pending document no more will come than is there. */
export function cutOff(state: Documents, id: string): Documents {
  return changed(state, id, () => ({ end: 'cut off' }));
}

/** The documents after a fact. */
export function follow(state: Documents, fact: Fact, faultOf: FaultOf): Documents {
  if (fact.what === 'requested' && fact.isMove) return requested(state, fact);
  if (fact.what === 'received') return received(state, fact.id, fact.bytes);
  if (fact.what === 'responded') return changed(state, fact.id, () => ({ headBytes: fact.wireBytes }));
  if (fact.what === 'ended') return ended(state, fact.id, fact.wireBytes);
  if (fact.what === 'failed') return failed(state, fact, faultOf);
  return fact.what === 'committed' ? committed(state, fact, faultOf) : state;
}

/** `net::ERR_…` for the last request, unless the guard knows better. */
export function netFailure({ request }: Documents, error: string, faultOf: FaultOf): AppError {
  return faultOf(request.url) ?? netError(error);
}

function requested(state: Documents, { id, url, isHop }: Requested): Documents {
  // A move that came to nothing counts as none.
  const before = isHop || state.isLedOn ? state.redirects : (state.pending ?? state.shown)?.redirects;
  const redirects = (before ?? state.redirects) + 1;
  const next = { ...state, request: { id, url }, redirects, isLedOn: false };
  if (redirects > MAX_REDIRECTS) return failing(next, new AppError('too_many_redirects'));
  if (url.length > MAX_URL_LENGTH) return failing(next, new AppError('bad_upstream_response'));
  const target = URL.parse(url);
  // To an app or a mail program Chromium goes nowhere, whoever it names.
  return isWeb(target) && bringsUser(target) ? failing(next, new AppError('url_not_allowed')) : next;
}

function received(state: Documents, id: string, bytes: number): Documents {
  const next = changed(state, id, (document) => ({ bytes: document.bytes + bytes }));
  const isTooLarge = [next.pending, next.shown].some((document) => (document?.bytes ?? 0) > MAX_PAGE_BYTES);
  return isTooLarge ? failing(next, new AppError('response_too_large')) : next;
}

function ended(state: Documents, id: string, wireBytes: number): Documents {
  const document = [state.pending, state.shown].find((one) => one?.id === id);
  if (!document || document.end === 'cut off') return state;
  // An encoding that could not be taken off, or was cut off before it gave anything.
  const isUndecoded = document.bytes === 0 && wireBytes - document.headBytes > MAX_EMPTY_BYTES;
  if (isUndecoded) return failing(state, new AppError('bad_upstream_response'));
  return changed(state, id, () => ({ end: 'whole' }));
}

function failed(state: Documents, fact: Extract<Fact, { what: 'failed' }>, faultOf: FaultOf): Documents {
  const { shown, request } = state;
  // Cut off in the middle, it is still a document, unless there is nothing of it or the guard cut it off.
  const isCutOff = shown?.id === fact.id && shown.bytes > 0 && !faultOf(shown.url);
  if (isCutOff) return changed(state, fact.id, () => ({ end: 'cut off' }));
  if (fact.id !== request.id || fact.isCanceled) return state;
  return failing(state, netFailure(state, fact.error, faultOf));
}

function committed(state: Documents, { id, url, ...fact }: Committed, faultOf: FaultOf): Documents {
  const { pending, shown, past } = state;
  // Without a request, it went where no frame may go, such as about:srcdoc.
  if (fact.isErrorPage && id !== state.request.id) return failing(state, new AppError('url_not_allowed'));
  if (fact.isErrorPage) return failing(state, netFailure(state, 'net::ERR_FAILED', faultOf));
  if (pending?.id === id) return show(state, pending);
  const restored = fact.isRestored ? past.find((document) => document.id === id) : undefined;
  if (restored) return show(state, { ...restored, redirects: state.redirects });
  if (!shown || shown.id === id) return state;
  // A document that was rendered ahead, which Chromium does with 2xx alone. It is all there, and had no request here.
  if (isWeb(URL.parse(url)))
    return show(state, { ...shown, id, url, status: 200, redirects: shown.redirects + 1, end: 'whole' });
  // What a document makes by itself (about:, blob:, javascript:) stands under its name.
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
