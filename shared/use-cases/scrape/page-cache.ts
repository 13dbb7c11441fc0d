import type { KeyRestrictions } from '../../contract/accounts/account.ts';
import { isCacheable } from '../../contract/scrape/cache.ts';
import type { CachedPage, StoredBody } from '../../contract/scrape/cached-page.ts';
import { type Page, PageHead } from '../../contract/scrape/page.ts';
import type { ScrapeRequest } from '../../contract/scrape/scrape-request.ts';
import { type CacheKey, cacheKey, urlHash } from '../../domain/scrape/cache/cache-key.ts';
import { ageOf, forgottenAt, isFresh, mayKeep, validatorsOf } from '../../domain/scrape/cache/freshness.ts';
import type { Effects } from '../../ports/effects.ts';
import { openedPage, storePage } from './store-page.ts';

export type CacheNeeds = Pick<Effects, 'pageCache' | 'results' | 'now' | 'newId'>;

/** A request whose page may be kept, and the page that is kept for it. */
export type Repeat = { key: CacheKey; kept?: CachedPage | undefined; isFresh: boolean };

export type Caller = {
  orgId: string;
  restrictions?: KeyRestrictions | undefined;
  /** Of work that may run twice: it does not find its own page, which was not charged by then. */
  workId?: string;
};

/** Undefined unless the request wants a kept page, or its own to be kept. */
export async function findRepeat(
  { pageCache, now }: Pick<CacheNeeds, 'pageCache' | 'now'>,
  request: ScrapeRequest,
  caller: Caller,
): Promise<Repeat | undefined> {
  if (!isCacheable(request)) return undefined;
  const key = cacheKey(request, caller);
  // Without the cache, pages are fetched again.
  const found = pageCache.days > 0 ? await pageCache.find(key, now()).catch(() => undefined) : undefined;
  const kept = found?.workId !== undefined && found.workId === caller.workId ? undefined : found;
  return { key, kept, isFresh: kept !== undefined && isFresh(kept, request, now()) };
}

/** The kept page, if it is young enough and its bytes are still there. */
export async function freshPage(fx: CacheNeeds, { kept, isFresh }: Repeat): Promise<Page | undefined> {
  return kept && isFresh ? keptPage(fx, kept) : undefined;
}

/** A kept page with its bytes, if they are still there. */
export async function keptPage(
  { results, now }: Pick<CacheNeeds, 'results' | 'now'>,
  kept: CachedPage,
): Promise<Page | undefined> {
  const body = await openedPage(results, kept).catch(() => undefined);
  return body && { ...kept.head, body, cache: 'hit', age: ageOf(kept, now()) };
}

/** Whether a page can be had again, free of charge, while it is young enough. */
export function isKept({ pageCache }: Pick<CacheNeeds, 'pageCache'>, page: Page): boolean {
  return pageCache.days > 0 && (page.cache === 'revalidated' || mayKeep(page));
}

/** Keeps a page for repeats, the bytes first. If that fails, they will be fetched again. */
export async function keepPage(
  fx: CacheNeeds,
  request: ScrapeRequest,
  caller: Caller,
  page: Page,
  stored?: StoredBody,
): Promise<void> {
  const { pageCache, results, newId, now } = fx;
  if (pageCache.days === 0 || !mayKeep(page)) return;
  const key = cacheKey(request, caller);
  const fetchedAt = now();
  // No repeat has a model read it again.
  const { cache: _cache, modelTokens: _tokens, ...head } = PageHead.parse(page);
  try {
    const body = stored ?? (await storePage(results, `${ownPrefix(key.orgId)}${newId()}`, page.body));
    const expiresAt = forgottenAt(pageCache.days, fetchedAt);
    const { workId } = caller;
    const validators = validatorsOf(page.headers);
    await pageCache.keep(key, { ...body, head, ...validators, fetchedAt, expiresAt, workId });
  } catch {
    // The page itself is there.
  }
}

/** Of bytes that only the cache names. A job's result stays as long as the job. */
export const ownPrefix = (orgId: string) => `results/${orgId}/cache/`;

/** Forgets every page of a URL that an organization has fetched. */
export async function forgetPages(
  { pageCache, results }: Pick<CacheNeeds, 'pageCache' | 'results'>,
  orgId: string,
  url: string,
): Promise<void> {
  const keys = await pageCache.forget({ orgId, urlHash: urlHash(orgId, url) });
  for (const key of keys) if (key.startsWith(ownPrefix(orgId))) await results.remove(key);
}
