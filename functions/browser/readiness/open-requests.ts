import type { Committed, Fact, Received, Requested, Responded } from '../page/fact.ts';
import type { Shows } from '../page/document-reader.ts';
import { isPausing, isWhole, type OpenRequest, openRequest, siteOf, withFact } from './open-request.ts';
import { CONTENT_MS, type Patience, STALLED_MS, UNANSWERED_MS, UNREAD_MS } from './patience.ts';
import type { Streams } from './streams.ts';

/** What nobody has sent for so long is not waited for, by third parties or by the document's server too. */
const ABANDONED_MS = {
  showing: { thirdParties: 600, all: 1_500 },
  unknown: { thirdParties: 1_000, all: 4_000 },
  waiting: { thirdParties: 1_000, all: 4_000 },
} as const satisfies Readonly<Record<Shows, unknown>>;

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
  isAbandoned: (shows: Shows, isParsed: boolean) => boolean;
  /** How much longer the rest of a body is waited for. Chromium does not stop the page's clock for it. */
  bodyMs: () => number;
  /** Counts the first response of each URL, so that polling is no news. */
  respondedUrls: () => number;
  /** For how long the network has been silent. */
  silentMs: () => number;
  count: () => number;
};

type Needs = {
  patience: Pick<
    Patience,
    'shows' | 'isOver' | 'answers' | 'isBarren' | 'isNews' | 'isFilled' | 'isFirst' | 'awaits'
  >;
  streams: Pick<Streams, 'isFeeding' | 'feedMs'>;
  now: () => number;
};

/** The document's requests. `onSilence` is called when one may have become silent, which fires no event. */
export function openRequests(onSilence: () => void, { patience, streams, now }: Needs): OpenRequests {
  const inFlight = new Map<string, OpenRequest>();
  const noted = notes(inFlight, { patience, now });
  let count = 0;
  const silence = setTimeout(onSilence, UNREAD_MS.unknown).unref();
  const isUnanswered = ({ key, heardAt }: OpenRequest) => heardAt === undefined && !noted.isKnown(key);
  const isMissing = (request: OpenRequest) =>
    request.bytes === 0 && request.isContent && !request.isRepeat && !patience.isFilled(request);
  const isAwaited = (request: OpenRequest) => patience.awaits(request) && isMissing(request);
  const isWaitedFor = (request: OpenRequest) => !patience.isOver() || isAwaited(request);
  const leftOf = (id: string, request: OpenRequest) => {
    const { sentAt, heardAt } = request;
    if (patience.shows() === 'showing' && streams.isFeeding(id)) return streams.feedMs();
    if (isAwaited(request))
      return CONTENT_MS[patience.isFirst(request) ? 'first' : 'further'] - (now() - sentAt);
    if (heardAt === undefined) return UNANSWERED_MS[patience.shows()] - (now() - sentAt);
    return (isPausing(request) ? STALLED_MS : UNREAD_MS)[patience.shows()] - (now() - heardAt);
  };
  const mayGoOn = (request: OpenRequest) => mayPause(request, patience.shows());
  return {
    see(fact, loading) {
      if (fact.what === 'responded' || fact.what === 'received') silence.refresh();
      if (fact.what === 'requested' && !fact.isBackground) count += 1;
      return noted.see(fact, loading);
    },
    isFetching: () => inFlight.entries().some(([id, sent]) => isWaitedFor(sent) && leftOf(id, sent) > 0),
    isUnanswered: () => inFlight.values().some(isUnanswered),
    isContentMissing: () => inFlight.values().some(isMissing),
    isHeadMissing: () => inFlight.values().some(({ heardAt }) => heardAt === undefined),
    bodyMs: () => Math.max(0, ...[...inFlight].map(([id, sent]) => (mayGoOn(sent) ? leftOf(id, sent) : 0))),
    isAbandoned(shows, isParsed) {
      const areForeign = inFlight.values().every(({ isOwn }) => !isOwn);
      if (areForeign) return noted.silentMs() >= ABANDONED_MS[shows].thirdParties;
      return noted.silentMs() >= ABANDONED_MS[isParsed ? shows : 'unknown'].all;
    },
    respondedUrls: noted.news,
    silentMs: noted.silentMs,
    count: () => count,
  };
}

/** Chromium reports the head of an untyped body with its first part: more may follow if the page waits. */
const mayPause = (request: OpenRequest, shows: Shows) =>
  request.heardAt !== undefined && (isPausing(request) || shows === 'waiting');

/** Counts the first response of each URL. */
function watchNews(patience: Pick<Patience, 'answers' | 'isBarren' | 'isNews'>) {
  const known = new Set<string>();
  // Chromium may report no end of a body that the page does not read.
  const heard = new Set<string>();
  let news = 0;
  return {
    isKnown: (key: string) => known.has(key),
    isRepeat: ({ key, place }: OpenRequest) => known.has(key) || heard.has(key) || patience.isBarren(place),
    hear(request: OpenRequest) {
      heard.add(request.key);
      patience.answers(request);
    },
    news: () => news,
    note({ key, isPicture, isRepeat }: OpenRequest) {
      // Tracking pixels use ever new URLs.
      if (isPicture || known.has(key)) return;
      known.add(key);
      if (!isRepeat && patience.isNews()) news += 1;
    },
  };
}

/** Keeps what is in flight, and counts. */
function notes(inFlight: Map<string, OpenRequest>, { patience, now }: Pick<Needs, 'patience' | 'now'>) {
  const news = watchNews(patience);
  let [site, busyAt] = ['', now()];

  function sent(fact: Requested) {
    const request = openRequest(fact, site, (busyAt = now()));
    // A service worker may store the files of a whole site.
    const isRepeat = fact.isOfServiceWorker || news.isRepeat(request);
    inFlight.set(fact.id, { ...request, isRepeat });
  }
  function heard(fact: Responded | Received): boolean {
    const before = inFlight.get(fact.id);
    if (!before) return false;
    if (fact.what === 'responded') news.hear(before);
    const request = withFact(before, fact, (busyAt = now()));
    inFlight.set(fact.id, request);
    return isWhole(request) && finished(fact.id);
  }
  function finished(id: string): boolean {
    const request = inFlight.get(id);
    if (!request) return false;
    busyAt = now();
    patience.answers(request);
    news.note(request);
    return inFlight.delete(id);
  }
  function see(fact: Fact, loading: string): boolean {
    if (fact.what === 'requested' && !fact.isBackground) sent(fact);
    else if (fact.what === 'responded' || fact.what === 'received') return heard(fact);
    else if (fact.what === 'committed') site = keepOnly(inFlight, fact);
    else if (fact.what === 'stopped') return finished(loading);
    // A worker's script ends in the worker's own session.
    else if (fact.what === 'ended' || fact.what === 'failed' || fact.what === 'attached')
      return finished(fact.id);
    return false;
  }
  return { see, ...news, silentMs: () => now() - busyAt };
}

/** The previous document's requests no longer matter. Returns the site of the new one. */
function keepOnly(inFlight: Map<string, OpenRequest>, { id, url }: Committed): string {
  const request = inFlight.get(id);
  inFlight.clear();
  const site = siteOf(url);
  if (request) inFlight.set(id, { ...request, isOwn: request.site === site });
  return site;
}
