import type { Crawl } from '../../contract/crawls/crawl.ts';
import { cancelled } from '../../domain/crawls/crawl-state.ts';
import { AppError } from '../../errors.ts';
import type { Effects } from '../../ports/effects.ts';
import type { ChunkNeeds } from '../batches/settle-chunk.ts';
import { cancelWave } from './cancel-wave.ts';
import { findCrawl } from './find-crawl.ts';

export type CancelCrawlNeeds = ChunkNeeds & Pick<Effects, 'crawls' | 'queue'>;

/**
 * Stops the requests of a crawl from starting. Requests in progress may end; the next merge gives what waits
 * its outcome. Throws `not_found`, and `crawl_finished` if every URL has an outcome.
 */
export async function cancelCrawl(fx: CancelCrawlNeeds, orgId: string, id: string): Promise<Crawl> {
  const crawl = await findCrawl(fx, orgId, id);
  if (crawl.cancelledAt) return crawl;
  if (crawl.completedAt) throw new AppError('crawl_finished');
  const stopped = cancelled(crawl, fx.now());
  // A merge has changed it since it was read.
  if (!(await fx.crawls.replace(crawl, stopped))) return cancelCrawl(fx, orgId, id);
  if (stopped.wave) await cancelWave(fx, stopped.wave.batchId);
  await fx.queue.planCrawl(stopped);
  return findCrawl(fx, orgId, id);
}
