import type { CrawlAtHost, TargetHost } from '../../contract/crawls/target-host.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../time/units.ts';

/** A chunk of a crawl that is about to request URLs of a host. Times are unix milliseconds. */
export type Visit = {
  crawlId: string;
  /** Of the chunk and its next owner. */
  placeId: string;
  /** When the place lapses if its owner dies. */
  until: number;
  /** Requests of the crawl to the host at once, and milliseconds between two of them. */
  concurrency: number;
  delay?: number | undefined;
  /** Requests of all crawls to the host at once. */
  hostConcurrency: number;
};

/**
 * `full`: enough requests are in progress, some of them of this crawl if `isOwn`. `later`: none may begin
 * before. `given_up`: the host refused too often. With a place, the first request begins at `startAt`.
 */
export type Admittance =
  | { outcome: 'taken'; after: TargetHost; startAt: number }
  | { outcome: 'full'; isOwn: boolean }
  | { outcome: 'later'; at: number }
  | { outcome: 'given_up' };

/** A longer wait is no worker's: others may use its slot. */
export const LONGEST_WAIT_MS = 5 * SECOND_MS;
const FIRST_PAUSE_MS = 30 * SECOND_MS;
const MAX_PAUSE_MS = 15 * MINUTE_MS;
const MAX_PAUSES = 5;
/** Crawls take a week at most. */
const FORGET_MS = 8 * DAY_MS;

/** When nothing of a host needs to be known any more that is known now. */
export const forgottenAt = (now: number): Date => new Date(now + FORGET_MS);

/** Takes a place at a host, if the crawl may request anything of it within moments. */
export function takePlace(
  before: TargetHost | undefined,
  host: string,
  visit: Visit,
  now: number,
): Admittance {
  const { crawlId, placeId, until, delay = 0, hostConcurrency } = visit;
  const known = live(before, host, now);
  const own = known.crawls[crawlId] ?? NOTHING;
  if (own.pauses > MAX_PAUSES) return { outcome: 'given_up' };
  const startAt = Math.max(now, own.nextAt ?? 0, own.pausedUntil ?? 0);
  const most = delay > 0 ? 1 : visit.concurrency;
  const all = Object.values(known.crawls).reduce((sum, { places }) => sum + Object.keys(places).length, 0);
  const { length: taken } = Object.keys(own.places);
  const isFull = taken >= most || all >= hostConcurrency || placeId in own.places;
  if (isFull) return { outcome: 'full', isOwn: taken > 0 };
  if (startAt - now > LONGEST_WAIT_MS) return { outcome: 'later', at: startAt };
  // Of an owner that dies, the last request may have begun just before.
  const places = { ...own.places, [placeId]: until + delay };
  return { outcome: 'taken', after: withCrawl(known, crawlId, { ...own, places }), startAt };
}

/** What a visit has met: when its last request began, and whether the host refused it by 429 or 503. */
export type Met = {
  lastStart?: number | undefined;
  hasAnswered: boolean;
  /** `retryAfter` in seconds, if the host says when it may be requested again. */
  refusal?: { retryAfter: number | undefined } | undefined;
};

/** Frees a place, and notes when the next request may begin. */
export function leavePlace(
  before: TargetHost | undefined,
  host: string,
  { crawlId, placeId, delay = 0 }: Visit,
  { lastStart, hasAnswered, refusal }: Met,
  now: number,
): TargetHost {
  const known = live(before, host, now);
  const own = known.crawls[crawlId] ?? NOTHING;
  const { [placeId]: _, ...places } = own.places;
  const isPaused = (own.pausedUntil ?? 0) > now;
  const next = lastStart !== undefined && delay > 0 ? lastStart + delay : 0;
  const pauses = hasAnswered && !isPaused ? 0 : own.pauses;
  const left: CrawlAtHost = { ...own, places, pauses, ...timeOf('nextAt', Math.max(next, own.nextAt ?? 0)) };
  if (!refusal) return withCrawl(known, crawlId, left);
  // Requests that are refused at the same time make one pause.
  const count = isPaused ? own.pauses : pauses + 1;
  const usual = Math.min(FIRST_PAUSE_MS * 2 ** (count - 1), MAX_PAUSE_MS);
  const ms = refusal.retryAfter === undefined ? usual : refusal.retryAfter * SECOND_MS;
  const pausedUntil = Math.max(own.pausedUntil ?? 0, now + ms);
  return withCrawl(known, crawlId, { ...left, pauses: count, pausedUntil });
}

/** Notes a request that needs no place, such as for a sitemap: the next one keeps its distance. */
export function requestedBeside(
  before: TargetHost | undefined,
  host: string,
  { crawlId, delay }: { crawlId: string; delay: number },
  now: number,
): TargetHost {
  const known = live(before, host, now);
  const own = known.crawls[crawlId] ?? NOTHING;
  return withCrawl(known, crawlId, { ...own, nextAt: Math.max(own.nextAt ?? 0, now + delay) });
}

/** Whether the crawl has given the host up, and otherwise when it may be requested next. */
export function prospectAt(host: TargetHost, crawlId: string): { isGivenUp: boolean; at: number } {
  const { pauses, nextAt = 0, pausedUntil = 0 } = host.crawls[crawlId] ?? NOTHING;
  return { isGivenUp: pauses > MAX_PAUSES, at: Math.max(nextAt, pausedUntil) };
}

const NOTHING: CrawlAtHost = { places: {}, pauses: 0 };

const timeOf = (name: 'nextAt', at: number) => (at > 0 ? { [name]: at } : {});

const withCrawl = (host: TargetHost, crawlId: string, own: CrawlAtHost): TargetHost => ({
  ...host,
  crawls: { ...host.crawls, [crawlId]: own },
});

/** The next version of a host, without places that have lapsed and crawls of which nothing counts. */
function live(before: TargetHost | undefined, host: string, now: number): TargetHost {
  const crawls = Object.entries(before?.crawls ?? {}).map(([id, { places, ...own }]) => {
    const kept = Object.entries(places).filter(([, until]) => until > now);
    return [id, { ...own, places: Object.fromEntries(kept) }] as const;
  });
  const counting = crawls.filter(([, { places, pauses, nextAt = 0, pausedUntil = 0 }]) => {
    const last = Math.max(nextAt, pausedUntil + (pauses > 0 ? FORGET_MS : 0));
    return Object.keys(places).length > 0 || last > now;
  });
  return { host, version: (before?.version ?? 0) + 1, crawls: Object.fromEntries(counting) };
}
