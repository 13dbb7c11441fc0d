import type { Committed, Fact, Received, Requested, Responded } from '../page/fact.ts';
import type { Shows } from '../page/document-reader.ts';
import { isInDoubt, isWhole, type OpenRequest, openRequest, siteOf, withFact } from './open-request.ts';
import { UNREAD_MS } from './patience.ts';
import { mayPause, type Needs, waits } from './request-waits.ts';
import { watchNews } from './watch-news.ts';

/** What nobody has sent for so long is not waited for, by third parties or by the document's server too. */
const ABANDONED_MS = {
  showing: { thirdParties: 400, all: 1_500 },
  unknown: { thirdParties: 1_000, all: 4_000 },
  waiting: { thirdParties: 1_000, all: 4_000 },
} as const satisfies Readonly<Record<Shows, unknown>>;

export type OpenRequests = {
  /** True if the fact ended a request. `loading` is the document's. */
  see: (fact: Fact, loading: string) => boolean;
  isFetching: () => boolean;
  /** A first response of its URL is missing. */
  isUnanswered: () => boolean;
  /** The same of a request for content that a page which shows some still waits for, or has given up. */
  isContentMissing: () => boolean;
  /** Some response is missing, for which Chromium stops the page's clock. */
  isHeadMissing: () => boolean;
  /** Nobody sends what is missing. */
  isAbandoned: (shows: Shows, isParsed: boolean) => boolean;
  /** How much longer the rest of a body is waited for. Chromium does not stop the page's clock for it. */
  bodyMs: () => number;
  /** Bodies that may be whole though nobody has said so. */
  inDoubt: () => string[];
  judge: (id: string, isWhole: boolean) => void;
  /** Counts the first response of each URL, so that polling is no news. */
  respondedUrls: () => number;
  /** For how long the network has been silent. */
  silentMs: () => number;
  count: () => number;
};

/** The document's requests. `onSilence` is called when one may have become silent, which fires no event. */
export function openRequests(onSilence: () => void, { patience, streams, now }: Needs): OpenRequests {
  const inFlight = new Map<string, OpenRequest>();
  const noted = notes(inFlight, { patience, now });
  let count = 0;
  const silence = setTimeout(onSilence, UNREAD_MS.unknown).unref();
  const isUnanswered = ({ key, heardAt }: OpenRequest) => heardAt === undefined && !noted.isKnown(key);
  const { isMissing, isWaitedFor, leftOf } = waits(noted, { patience, streams, now });
  const mayGoOn = (request: OpenRequest) => mayPause(request, patience.shows());
  return {
    see(fact, loading) {
      if (fact.what === 'responded' || fact.what === 'received') silence.refresh();
      if (fact.what === 'requested' && !fact.isBackground) count += 1;
      return noted.see(fact, loading);
    },
    isFetching: () => inFlight.entries().some(([id, sent]) => isWaitedFor(id, sent) && leftOf(id, sent) > 0),
    isUnanswered: () => inFlight.values().some(isUnanswered),
    isContentMissing: () => inFlight.entries().some(([id, sent]) => isMissing(id, sent)),
    isHeadMissing: () => inFlight.values().some(({ heardAt }) => heardAt === undefined),
    bodyMs: () => Math.max(0, ...[...inFlight].map(([id, sent]) => (mayGoOn(sent) ? leftOf(id, sent) : 0))),
    isAbandoned(shows, isParsed) {
      const areForeign = inFlight.values().every(({ isOwn }) => !isOwn);
      if (areForeign) return noted.silentMs() >= ABANDONED_MS[shows].thirdParties;
      return noted.silentMs() >= ABANDONED_MS[isParsed ? shows : 'unknown'].all;
    },
    inDoubt: () => [...inFlight].filter(([, sent]) => isInDoubt(sent, now())).map(([id]) => id),
    judge: noted.judge,
    respondedUrls: noted.count,
    silentMs: noted.silentMs,
    count: () => count,
  };
}

/** Keeps what is in flight, and counts. */
function notes(inFlight: Map<string, OpenRequest>, { patience, now }: Pick<Needs, 'patience' | 'now'>) {
  const news = watchNews(patience);
  const silence = watchSilence(now);
  let site = '';

  function sent(fact: Requested) {
    inFlight.set(fact.id, news.sent(silence.endsWith(openRequest(fact, site, now())), fact.at));
  }
  function heard(fact: Responded | Received): boolean {
    const before = inFlight.get(fact.id);
    if (!before) return false;
    if (fact.what === 'responded') news.heard(before, fact.at);
    if (fact.what === 'responded' && !fact.isError) patience.hears(before);
    const request = silence.endsWith(withFact(before, fact, now()));
    inFlight.set(fact.id, request);
    return isWhole(request) && finished(fact.id);
  }
  function finished(id: string, at?: number): boolean {
    const request = inFlight.get(id);
    if (!request) return false;
    news.ended(silence.endsWith(request), at);
    return inFlight.delete(id);
  }
  function see(fact: Fact, loading: string): boolean {
    news.note(fact);
    if (fact.what === 'requested' && !fact.isBackground) sent(fact);
    else if (fact.what === 'responded' || fact.what === 'received') return heard(fact);
    else if (fact.what === 'committed') site = keepOnly(inFlight, fact);
    else if (fact.what === 'stopped') return finished(loading);
    else if (fact.what === 'ended') return finished(fact.id, fact.at);
    // A worker's script ends in the worker's own session.
    else if (fact.what === 'failed' || fact.what === 'attached') return finished(fact.id);
    return false;
  }
  function judge(id: string, isWhole: boolean) {
    const request = inFlight.get(id);
    if (request) inFlight.set(id, { ...request, isUnread: isWhole, isCut: !isWhole });
  }
  return { ...news, see, judge, silentMs: silence.ms };
}

/** Frames of other sites may load again and again, beside a page that is silent. */
function watchSilence(now: () => number) {
  let busyAt = now();
  return {
    endsWith(request: OpenRequest): OpenRequest {
      if (request.isOwn || !request.isFramed) busyAt = now();
      return request;
    },
    ms: () => now() - busyAt,
  };
}

/** The previous document's requests no longer matter. Returns the site of the new one. */
function keepOnly(inFlight: Map<string, OpenRequest>, { id, url }: Committed): string {
  const request = inFlight.get(id);
  inFlight.clear();
  const site = siteOf(url);
  if (request) inFlight.set(id, { ...request, isOwn: request.site === site });
  return site;
}
