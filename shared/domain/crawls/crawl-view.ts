import { snakeKeys } from '../../contract/case.ts';
import type { Crawl } from '../../contract/crawls/crawl.ts';
import type { CrawlView } from '../../contract/crawls/crawl-view.ts';
import { crawlCounts, type WaveProgress } from './crawl-counts.ts';
import { globFilter } from './globs.ts';

/** How far the wave of a crawl is, and what its lines have cost so far. */
export type WaveState = WaveProgress & { credits: number };

/** A crawl as its caller sees it. Without `wave`: after the last merge. */
export function crawlView(apiUrl: string, crawl: Crawl, wave?: WaveState): CrawlView {
  const { id, status, stopReason, credits, request, retryOf, tags } = crawl;
  const { createdAt, deadlineAt, cancelledAt, completedAt, expiresAt } = crawl;
  const statusUrl = `${apiUrl}/api/v1/crawls/${id}`;
  return snakeKeys({
    crawlId: id,
    status,
    stopReason,
    counts: crawlCounts(crawl, wave),
    creditsUsed: credits + (wave?.credits ?? 0),
    url: request.urls[0] ?? '',
    retryOf,
    tags,
    createdAt: createdAt.toISOString(),
    deadlineAt: deadlineAt.toISOString(),
    cancelledAt: cancelledAt?.toISOString(),
    completedAt: completedAt?.toISOString(),
    expiresAt: expiresAt.toISOString(),
    statusUrl,
    resultsUrl: `${statusUrl}/results`,
    urlsUrl: `${statusUrl}/urls`,
  });
}

/** Seeds that the globs of a crawl leave out, although they are requested. */
export function seedsNotIncluded({ request: { urls, include, exclude } }: Pick<Crawl, 'request'>): string[] {
  const isWanted = globFilter(include, exclude);
  return urls.filter((url) => !isWanted(new URL(url)));
}
