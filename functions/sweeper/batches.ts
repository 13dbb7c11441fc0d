import type { Batch } from '../../shared/contract/batches/batch.ts';
import { READ_AGAIN_MS } from '../../shared/domain/batches/state.ts';
import { CANCEL_AGAIN_MS } from '../../shared/use-cases/batches/cancel-batch.ts';
import { cancelChunks } from '../../shared/use-cases/batches/cancel-chunks.ts';
import { closeBatch } from '../../shared/use-cases/batches/settle-chunk.ts';
import type { Needs } from './jobs.ts';
import type { Due } from './sweep-due.ts';
import { addMs } from '../../shared/time/units.ts';

type Steps = Partial<Record<'closed' | 'resent' | 'cancelled', number>>;

/** Batches that were cancelled, whose reader or submit died, or that nobody has closed. */
export function dueBatches(fx: Needs): Due<Batch, keyof Steps> {
  return {
    name: 'batches',
    list: (limit) => fx.batches.due(fx.now(), limit),
    idOf: ({ id }) => id,
    moveOn: (batch, signal) => moveOn(fx, batch, signal),
    concurrency: 4,
  };
}

async function moveOn(fx: Needs, batch: Batch, signal: AbortSignal): Promise<Steps> {
  if (batch.completedAt) {
    await closeBatch(fx, batch);
    return { closed: 1 };
  }
  if (batch.crawlId && batch.state === 'reading') {
    await planAgain(fx, { ...batch, crawlId: batch.crawlId });
    return { resent: 1 };
  }
  if (batch.state === 'reading') {
    await readAgain(fx, batch);
    return { resent: 1 };
  }
  return { cancelled: await cancel(fx, batch, signal) };
}

/** The process that read it has died. */
async function readAgain(fx: Needs, batch: Batch): Promise<void> {
  await fx.batches.postpone(batch, addMs(fx.now(), READ_AGAIN_MS));
  await fx.queue.readUpload(batch);
}

/** The process that made the wave has died. */
async function planAgain(fx: Needs, batch: Batch & { crawlId: string }): Promise<void> {
  await fx.batches.postpone(batch, addMs(fx.now(), READ_AGAIN_MS));
  await fx.queue.planCrawl({ id: batch.crawlId, orgId: batch.orgId });
}

/** A line that ran when its batch was cancelled may wait for a retry by now. */
async function cancel(fx: Needs, batch: Batch, signal: AbortSignal): Promise<number> {
  await fx.batches.cancel(batch, fx.now(), addMs(fx.now(), CANCEL_AGAIN_MS));
  return cancelChunks(fx, batch, signal);
}
