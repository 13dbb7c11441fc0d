import { crawlMustPlan } from '../../domain/crawls/crawl-state.ts';
import type { RequestLog } from '../../observe/request-log.ts';
import type { Effects } from '../../ports/effects.ts';
import type { AcceptNeeds } from '../batches/accept-batch.ts';

export type PlanNeeds = AcceptNeeds &
  Pick<Effects, 'crawls' | 'uploads' | 'results' | 'fetchPage' | 'renderPage' | 'newId'>;

export type PlanContext = {
  /** The crawler's name in robots.txt. */
  robotsToken: string;
  requestLog: RequestLog;
  /** Aborts when the worker itself must stop. */
  signal: AbortSignal;
};

/**
 * Takes a crawl one step further: merges what its wave has found, and begins the next wave. Safe to run twice
 * and at the same time, and to be killed after any line. Does nothing while a wave runs.
 */
export async function planCrawl(fx: PlanNeeds, id: string, _context: PlanContext): Promise<void> {
  const crawl = await fx.crawls.find(id);
  if (crawl === undefined || !crawlMustPlan(crawl, fx.now())) return;
}
