import { snakeKeys } from '../../contract/case.ts';
import { type Crawl, Outcome } from '../../contract/crawls/crawl.ts';
import type { CrawlView } from '../../contract/crawls/crawl-view.ts';
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

/** How many lines of the wave have ended at this moment, and how many are in progress. */
export type WaveProgress = { ended: number; running: number };

/** Discovered URLs: each is either waiting, in progress, or has one outcome. */
export type CrawlCounts = Record<Outcome, number> & Record<'discovered' | 'pending' | 'running', number>;

/**
 * The counts of a crawl, all from one read of it. Progress of its wave only divides the wave between
 * `pending` and `running`; what has ended is `running` until it is merged.
 */
export function crawlCounts(
  { outcomes, queued, wave: { lines } = { batchId: '', firstLine: 0, lines: 0 } }: CountedCrawl,
  { ended, running: inProgress }: WaveProgress = { ended: 0, running: 0 },
): CrawlCounts {
  const running = Math.min(lines, ended + inProgress);
  const pending = queued + lines - running;
  const ofEach = Object.fromEntries(
    Outcome.options.map((outcome) => [outcome, outcomes[outcome] ?? 0]),
  ) as Record<Outcome, number>;
  const discovered = Object.values(ofEach).reduce((sum, count) => sum + count, pending + running);
  return { discovered, pending, running, ...ofEach };
}

type CountedCrawl = Pick<Crawl, 'outcomes' | 'queued' | 'wave'>;
