import { isDue } from '../../shared/domain/work/lease.ts';
import type { Batch } from '../../shared/contract/batches/batch.ts';
import type { Chunk } from '../../shared/contract/batches/chunk.ts';
import { orphaned } from '../../shared/domain/batches/chunk-state.ts';
import { settleChunk } from '../../shared/use-cases/batches/settle-chunk.ts';
import type { Needs } from './jobs.ts';
import type { Due } from './sweep-due.ts';

type Steps = Partial<Record<'settled' | 'reclaimed', number>>;

/** Chunks of dead workers: settled if something was committed, else given back. */
export function dueChunks(fx: Needs): Due<Chunk, keyof Steps> {
  return {
    name: 'chunks',
    list: (limit) => fx.chunks.due(fx.now(), limit),
    idOf: ({ id }) => id,
    moveOn: ({ id }) => moveOn(fx, id),
    concurrency: 100,
  };
}

async function moveOn(fx: Needs, id: string): Promise<Steps | undefined> {
  const chunk = await fx.chunks.find(id);
  if (!chunk || !isDue(chunk, fx.now())) return undefined;
  const batch = await fx.batches.find(chunk.batchId);
  if (batch === undefined) return undefined;
  if (chunk.status === 'settling') await settleChunk(fx, batch, chunk);
  else if (chunk.status === 'running') await reclaim(fx, batch, chunk);
  return { [chunk.status === 'settling' ? 'settled' : 'reclaimed']: 1 };
}

/** If this process dies too, the next sweep settles the chunk. */
async function reclaim(fx: Needs, batch: Batch, chunk: Chunk): Promise<void> {
  const orphan = orphaned(chunk, fx.now());
  if (!(await fx.chunks.replace(chunk, orphan))) return;
  await settleChunk(fx, batch, orphan);
  await fx.queue.wake(chunk.orgId);
}
