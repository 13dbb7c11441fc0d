import type { Crawl } from '../contract/crawls/crawl.ts';

export type CrawlEffects = { crawls: Crawls; targetHosts: TargetHosts };

export type Crawls = {
  /** False, without any change, if a crawl of this id exists. */
  create: (crawl: Crawl) => Promise<boolean>;
  find: (id: string) => Promise<Crawl | undefined>;
  /** False, without any change, unless the revision is still that of `before`. `after` has the next one. */
  replace: (before: Crawl, after: Crawl) => Promise<boolean>;
  /** Crawls of an organization with ids before one, newest first. `next` as for jobs. */
  list: (
    orgId: string,
    range: { before?: string | undefined; limit: number },
  ) => Promise<{ crawls: Crawl[]; next?: string }>;
  /** Crawls past their `dueAt`. */
  due: (now: Date, limit: number) => Promise<Crawl[]>;
};

/** What one crawl does at a host. Times are unix milliseconds. */
export type CrawlAtHost = {
  /** Until when chunks of it are in hand, by their ids. */
  places: Record<string, number>;
  /** No request begins earlier. */
  nextAt?: number | undefined;
  /** After a 429 or 503. */
  pausedUntil?: number | undefined;
  /** In a row. */
  pauses: number;
};

/** A host that crawls of any organization request, by the ids of the crawls. */
export type TargetHost = { host: string; version: number; crawls: Record<string, CrawlAtHost> };

export type TargetHosts = {
  find: (host: string) => Promise<TargetHost | undefined>;
  /** False, without any change, unless the version is still that of `before`. */
  replace: (before: TargetHost | undefined, after: TargetHost, expiresAt: Date) => Promise<boolean>;
};
