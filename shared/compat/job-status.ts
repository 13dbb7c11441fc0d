import type { BatchView } from '../contract/batches/batch.ts';
import type { CrawlState } from '../contract/crawls/crawl-view.ts';

/** How far a crawl or batch is, in the shape of `/v2`. */
export type JobStatus = {
  status: 'scraping' | 'completed' | 'failed' | 'cancelled';
  total: number;
  completed: number;
  creditsUsed: number;
  createdAt: string;
  completedAt: string | null;
  expiresAt: string;
  warning?: string;
};

const CRAWLS = { running: 'scraping', completed: 'completed', cancelled: 'cancelled' } as const;

/** Why a crawl that has ended has fewer pages than there are. */
const STOPPED: Readonly<Record<string, string>> = {
  robots: 'robots.txt disallows the URL to begin at, so nothing was requested.',
  unreachable: 'The URL to begin at did not respond.',
  max_credits: 'The credits were used up before the crawl was complete.',
  deadline: 'The time of the crawl was over before it was complete.',
};
const FAILURES: readonly (string | undefined)[] = ['robots', 'unreachable'];

/** Never completed without a page: a site that could not be read has failed. */
export function crawlStatus(crawl: CrawlState): JobStatus {
  const { page, failed, unchanged, pending, running } = crawl.counts;
  const completed = page + failed + unchanged;
  const hasFailed = crawl.status === 'completed' && page === 0 && FAILURES.includes(crawl.stop_reason);
  const warning = crawl.stop_reason && STOPPED[crawl.stop_reason];
  return {
    status: hasFailed ? 'failed' : CRAWLS[crawl.status],
    total: completed + pending + running,
    completed,
    ...times(crawl),
    ...(warning !== undefined && { warning }),
  };
}

const BATCHES = { ...CRAWLS, waiting_for_upload: 'scraping' } as const;

export function batchStatus(batch: BatchView): JobStatus {
  const { total, invalid, completed, failed } = batch.counts;
  return {
    status: batch.error_code !== undefined ? 'failed' : BATCHES[batch.status],
    total: total + invalid,
    completed: completed + failed + invalid,
    ...times(batch),
    ...(batch.error !== undefined && { warning: batch.error }),
  };
}

type Ended = Pick<BatchView, 'credits_used' | 'created_at' | 'completed_at' | 'expires_at'>;

const times = ({ credits_used: creditsUsed, ...job }: Ended) => ({
  creditsUsed,
  createdAt: job.created_at,
  completedAt: job.completed_at ?? null,
  expiresAt: job.expires_at,
});
