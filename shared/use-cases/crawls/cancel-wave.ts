import type { Effects } from '../../ports/effects.ts';
import { stopBatch } from '../batches/cancel-batch.ts';
import type { ChunkNeeds } from '../batches/settle-chunk.ts';

/** Stops the requests of a wave from starting. Without effect if they have ended, or do not exist yet. */
export async function cancelWave(fx: ChunkNeeds & Pick<Effects, 'batches'>, batchId: string): Promise<void> {
  const batch = await fx.batches.find(batchId);
  if (batch) await stopBatch(fx, batch);
}
