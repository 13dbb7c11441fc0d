import type { CrawlRequest } from '../../contract/crawls/crawl-request.ts';
import type { Outcome, OutcomeCounts } from '../../contract/crawls/crawl.ts';
import type { ErrorCode } from '../../errors.ts';
import { deniesUse } from './content-usage.ts';
import type { Sighting } from './known-urls.ts';
import { leftOut, type SiteRules } from './outcome.ts';
import type { Robots } from './robots.ts';
import { fingerprint } from './sorted-table.ts';

/** How a new URL ends, or that it waits: then there is no `outcome`. */
export type Placed = { outcome?: Outcome; errorCode?: ErrorCode; disallowed?: true };

/** What a host lets a crawler do. `isForbidden`: it may not be scraped at all. */
export type HostRules = { robots: Robots; isForbidden: boolean; contentUsage?: string | undefined };

export type PlaceContext = {
  request: Pick<CrawlRequest, 'limit' | 'robots' | 'contentUse'>;
  /** Undefined beyond the most hosts. */
  hostRules: (url: URL) => HostRules | undefined;
  isFruitless: (url: URL) => boolean;
  /** Before this URL. */
  counts: { outcomes: OutcomeCounts; queued: number; asked: number };
};

/** Discovered URLs for each page of the limit, after which further ones are a trap. */
const MAX_DISCOVERED = 20;
/** After this many nothing more is noted, so that what a crawl stores is finite. */
const MAX_NOTED = 25;
const NOTED_ANYWAY = 1_000;

/** The outcome that needs no robots.txt. Seeds are requested whatever `include` and `exclude` say. */
export function outcomeBySpelling(
  { depth, via }: Sighting,
  url: URL,
  { rules, maxDepth }: { rules: SiteRules; maxDepth: number },
): Outcome | undefined {
  const outcome = leftOut(url, rules);
  if (via === 'seed') return outcome === 'too_long' ? outcome : undefined;
  return outcome ?? (depth > maxDepth ? 'depth' : undefined);
}

/** What becomes of a URL that no earlier rule has left out. */
export function placeUrl(url: URL, { request, hostRules, isFruitless, counts }: PlaceContext): Placed {
  const { limit, robots: policy, contentUse = [] } = request;
  const host = hostRules(url);
  if (host === undefined) return { outcome: 'trap' };
  if (host.isForbidden) return { outcome: 'failed', errorCode: 'url_not_allowed' };
  const isDisallowed = policy !== 'ignore' && !host.robots.isAllowed(url.href);
  if (isDisallowed && policy === 'obey') return { outcome: 'robots' };
  if (host.contentUsage && deniesUse(host.contentUsage, contentUse, url)) return { outcome: 'content_use' };
  if (isFruitless(url) || discoveredIn(counts) >= MAX_DISCOVERED * limit) return { outcome: 'trap' };
  if (counts.asked + counts.queued >= limit) return { outcome: 'limit' };
  return isDisallowed ? { disallowed: true } : {};
}

/** Whether one more URL is noted. */
export function isNoted(counts: PlaceContext['counts'], limit: number): boolean {
  return discoveredIn(counts) < MAX_NOTED * limit + NOTED_ANYWAY;
}

function discoveredIn({ outcomes, queued }: PlaceContext['counts']): number {
  return Object.values(outcomes).reduce((sum, count) => sum + count, queued);
}

/** Requests without new bytes after which a path with queries, or a folder, is a trap. */
const MAX_QUERIES = 500;
const MAX_IN_FOLDER = 10_000;

type Place = { key: bigint; most: number };

/** Where requests are counted that brought no new bytes: the path of a query, and the two first folders. */
export function placesOf({ host, pathname, search }: URL): Place[] {
  const [, first, second, ...rest] = pathname.split('/');
  return [
    ...(search === '' ? [] : [{ key: fingerprint(`query ${host}${pathname}`), most: MAX_QUERIES }]),
    ...(rest.length === 0
      ? []
      : [{ key: fingerprint(`folder ${host}/${first}/${second}`), most: MAX_IN_FOLDER }]),
  ];
}
