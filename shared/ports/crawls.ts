import type { Crawl } from '../contract/crawls/crawl.ts';
import type { TargetHost } from '../contract/crawls/target-host.ts';

export type CrawlEffects = { crawls: Crawls; targetHosts: TargetHosts };

export type Crawls = {
  /** False, without any change, if a crawl of this id exists. */
  create: (crawl: Crawl) => Promise<boolean>;
  find: (id: string) => Promise<Crawl | undefined>;
  /** False, without any change, unless the revision still equals `before`. `after` has the next one. */
  replace: (before: Crawl, after: Crawl) => Promise<boolean>;
  /** Crawls of an organization with ids before one, newest first. `next` as for jobs. */
  list: (
    orgId: string,
    range: { before?: string | undefined; limit: number },
  ) => Promise<{ crawls: Crawl[]; next?: string }>;
  /** Crawls past their `dueAt`. */
  due: (now: Date, limit: number) => Promise<Crawl[]>;
};

export type TargetHosts = {
  find: (host: string) => Promise<TargetHost | undefined>;
  /** False, without any change, unless the version still equals `before`. */
  replace: (before: TargetHost | undefined, after: TargetHost, expiresAt: Date) => Promise<boolean>;
};
