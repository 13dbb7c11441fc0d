import type { Fact } from '../page/fact.ts';
import type { Shows } from '../page/document-reader.ts';
import { isPausing, isWhole, type OpenRequest, openRequest, siteOf, withFact } from './open-request.ts';
import { CONTENT_MS, type Patience, STALLED_MS, UNANSWERED_MS, UNREAD_MS } from './patience.ts';

/** Of a parsed document, what nobody has sent for so long is not waited for. */
const ABANDONED_MS = { thirdParties: 1_000, all: 4_000 };

export type OpenRequests = {
  /** True if the fact ended a request. `loading` is the document's. */
  see: (fact: Fact, loading: string) => boolean;
  isFetching: () => boolean;
  /** A first response of its URL is missing. */
  isUnanswered: () => boolean;
  /** The same of a request for content to the document's own server. */
  isContentMissing: () => boolean;
  /** Some response is missing, for which Chromium stops the page's clock. */
  isHeadMissing: () => boolean;
  /** Nobody sends what is missing. */
  isAbandoned: () => boolean;
  /** How much longer the rest of a body is waited for. Chromium does not stop the page's clock for it. */
  bodyMs: () => number;
  /** Counts the first response of each URL, so that polling is no news. */
  respondedUrls: () => number;
  /** For how long the network has been silent. */
  silentMs: () => number;
  count: () => number;
};

type Needs = {
  patience: Pick<Patience, 'shows' | 'isOver' | 'isNews' | 'isFeeding' | 'feedMs' | 'showsLittle'>;
  now: () => number;
};

/** The document's requests. `onSilence` is called when one may have become silent, which fires no event. */
export function openRequests(onSilence: () => void, { patience, now }: Needs): OpenRequests {
  const inFlight = new Map<string, OpenRequest>();
  const noted = notes(inFlight, { patience, now });
  const silence = setTimeout(onSilence, UNREAD_MS.unknown).unref();
  let [site, count] = ['', 0];
  const isAwaited = (request: OpenRequest) =>
    request.heardAt === undefined && patience.showsLittle() && isContentOf(site, request);
  const isWaitedFor = (request: OpenRequest) => !patience.isOver() || isAwaited(request);
  const leftOf = (id: string, request: OpenRequest) => {
    const { sentAt, heardAt } = request;
    if (patience.shows() === 'showing' && patience.isFeeding(id)) return patience.feedMs();
    if (heardAt === undefined)
      return (isAwaited(request) ? CONTENT_MS : UNANSWERED_MS[patience.shows()]) - (now() - sentAt);
    return (isPausing(request) ? STALLED_MS : UNREAD_MS)[patience.shows()] - (now() - heardAt);
  };
  const isUnanswered = ({ key, heardAt }: OpenRequest) => heardAt === undefined && !noted.isKnown(key);
  const mayGoOn = (request: OpenRequest) => mayPause(request, patience.shows());
  return {
    see(fact, loading) {
      if (fact.what === 'responded' || fact.what === 'received') silence.refresh();
      if (fact.what === 'requested' && !fact.isBackground) count += 1;
      if (fact.what === 'committed') site = siteOf(fact.url);
      return noted.see(fact, loading);
    },
    isFetching: () => inFlight.entries().some(([id, sent]) => isWaitedFor(sent) && leftOf(id, sent) > 0),
    isUnanswered: () => inFlight.values().some(isUnanswered),
    isContentMissing: () => inFlight.values().some((sent) => isUnanswered(sent) && isContentOf(site, sent)),
    isHeadMissing: () => inFlight.values().some(({ heardAt }) => heardAt === undefined),
    bodyMs: () => Math.max(0, ...[...inFlight].map(([id, sent]) => (mayGoOn(sent) ? leftOf(id, sent) : 0))),
    isAbandoned() {
      const areForeign = inFlight.values().every((request) => request.site !== site);
      return noted.silentMs() >= (areForeign ? ABANDONED_MS.thirdParties : ABANDONED_MS.all);
    },
    respondedUrls: noted.news,
    silentMs: noted.silentMs,
    count: () => count,
  };
}

/** Chromium reports the head of an untyped body with its first part: more may follow if the page waits. */
const mayPause = (request: OpenRequest, shows: Shows) =>
  request.heardAt !== undefined && (isPausing(request) || shows === 'waiting');

const isContentOf = (site: string, { site: own, isGet, isScript, isPicture }: OpenRequest) =>
  own === site && isGet && !isScript && !isPicture;

/** Keeps what is in flight, and counts. */
function notes(inFlight: Map<string, OpenRequest>, { patience, now }: Needs) {
  const known = new Set<string>();
  let [news, busyAt] = [0, now()];

  function heard(fact: Extract<Fact, { what: 'responded' | 'received' }>): boolean {
    const before = inFlight.get(fact.id);
    if (!before) return false;
    const request = withFact(before, fact, (busyAt = now()));
    inFlight.set(fact.id, request);
    return isWhole(request) && finished(fact.id);
  }
  function finished(id: string): boolean {
    const request = inFlight.get(id);
    if (!request) return false;
    busyAt = now();
    // Tracking pixels use ever new URLs.
    if (!request.isPicture && !known.has(request.key)) {
      known.add(request.key);
      if (patience.isNews()) news += 1;
    }
    return inFlight.delete(id);
  }
  function see(fact: Fact, loading: string): boolean {
    if (fact.what === 'requested' && !fact.isBackground)
      inFlight.set(fact.id, openRequest(fact, (busyAt = now())));
    else if (fact.what === 'responded' || fact.what === 'received') return heard(fact);
    else if (fact.what === 'committed') keepOnly(inFlight, fact.id);
    else if (fact.what === 'stopped') return finished(loading);
    // A worker's script ends in the worker's own session.
    else if (fact.what === 'ended' || fact.what === 'failed' || fact.what === 'attached')
      return finished(fact.id);
    return false;
  }
  return {
    see,
    isKnown: (key: string) => known.has(key),
    news: () => news,
    silentMs: () => now() - busyAt,
  };
}

/** The previous document's requests no longer matter. */
function keepOnly(inFlight: Map<string, OpenRequest>, id: string): void {
  const request = inFlight.get(id);
  inFlight.clear();
  if (request) inFlight.set(id, request);
}
