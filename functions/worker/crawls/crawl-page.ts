import type { WaveLine } from '../../../shared/contract/crawls/wave.ts';
import type { Page } from '../../../shared/contract/scrape/page.ts';
import { howOf, type Kind, kindOf } from '../../../shared/contract/scrape/mode.ts';
import type { ScrapeRequest } from '../../../shared/contract/scrape/scrape-request.ts';
import { endOfPage } from '../../../shared/domain/accounts/credits/ended.ts';
import { retryAfterSeconds } from '../../../shared/domain/work/retry-after.ts';
import { redirectDisallowed } from '../../../shared/domain/scrape/target/url-refusal.ts';
import type { Effects } from '../../../shared/ports/effects.ts';
import type { GetPage, ScrapeContext } from '../../../shared/ports/scrape.ts';
import type { PageNeeds } from '../../../shared/use-cases/scrape/get-page.ts';
import { type CacheNeeds, type Caller, keepPage } from '../../../shared/use-cases/scrape/page-cache.ts';
import { repeatPage } from '../../../shared/use-cases/scrape/repeat-page.ts';
import { type FoundAt, foundAt, foundUnchanged } from './found-at.ts';
import { ifChanged } from './if-changed.ts';

/** How a host says that it wants fewer requests. `retryAfter` in seconds. */
export type Refusal = { retryAfter: number | undefined };

export type CrawledPage = { page: Page; found: FoundAt };

/** Too Many Requests and Service Unavailable. */
export const REFUSALS: readonly number[] = [429, 503];

type Line = {
  request: ScrapeRequest;
  crawl: WaveLine['crawl'];
  /** Called as each request begins. */
  started: () => void;
  /** Aborts when the worker itself must stop: links are read beyond the timeout of the request. */
  stop: AbortSignal;
};

/** The page of a URL of a crawl and what it leads to, or how its host refused. Throws the ports' errors. */
export async function crawlPage(
  fx: PageNeeds & CacheNeeds,
  { request, crawl, started, stop }: Line,
  context: ScrapeContext,
  caller: Caller,
): Promise<CrawledPage | { refusal: Refusal }> {
  const wanted = withLinks(request);
  const { web, rawOf } = watchWeb(fx, started);
  if (crawl.since) {
    const answer = await ifChanged(web.fetchPage, wanted, crawl.since, context);
    if ('unchanged' in answer) {
      const { unchanged: page } = answer;
      return { page, found: foundUnchanged(page, endOfPage(howOf('plain'), page), fx.now()) };
    }
    web.fetchPage = answer.fetchPage;
  }
  const page = await repeatPage({ ...fx, ...web }, wanted, context, caller);
  // A browser has followed its redirects.
  if (page.redirects > 0 && (await context.mayFollow?.(page.url)) === false)
    throw redirectDisallowed(page.url);
  if (REFUSALS.includes(page.status))
    return { refusal: { retryAfter: retryAfterSeconds(page.headers ?? {}, fx.now()) } };
  const raw = page.cache === 'hit' || page.cache === 'revalidated' ? undefined : rawOf(page);
  const ended = endOfPage(request, page);
  const found = await foundAt(fx, { request, page, raw, ended }, { orgId: context.orgId, signal: stop });
  await keepPage(fx, wanted, caller, page);
  return { page, found };
}

/** A kept page has its links only if it is kept as it came. */
function withLinks(request: ScrapeRequest): ScrapeRequest {
  const { maxAge: _, revalidate: _also, ...current } = request;
  return (request.format ?? 'html') === 'html' ? request : current;
}

type Web = Pick<Effects, 'fetchPage' | 'renderPage'>;

/** The web, and the pages of it as they came. `started`: called as each request begins. */
function watchWeb({ fetchPage, renderPage }: Web, started: () => void) {
  const came = new Map<Kind, Page>();
  let last: Page | undefined;
  const watched =
    (getPage: GetPage): GetPage =>
    async (request, context) => {
      started();
      last = await getPage(request, context);
      came.set(kindOf(request), last);
      return last;
    };
  return {
    web: { fetchPage: watched(fetchPage), renderPage: watched(renderPage) },
    /** What a page was made from: of its rung, or the last one. */
    rawOf: ({ rung }: Page): Page | undefined => (rung && came.get(rung)) ?? last,
  };
}
