import type { Chunk } from '../../shared/contract/batches/chunk.ts';
import { reclaimed } from '../../shared/domain/batches/chunk-state.ts';
import { isUpload } from '../../shared/domain/batches/upload-state.ts';
import { chargeFor, settleChunk } from '../../shared/use-cases/batches/settle-chunk.ts';
import type { Needs } from './sweep.ts';

const PAGE = 100;

/** Settles what dead workers have committed of uploads, and gives back their lines. Throws at the end. */
export async function sweepChunks(fx: Needs, signal: AbortSignal): Promise<number> {
  const seen = new Set<string>();
  const faults: unknown[] = [];
  while (!signal.aborted) {
    const due = await fx.chunks.due(fx.now(), PAGE + seen.size);
    // The index is eventually consistent and still lists chunks that were just moved on.
    const fresh = due.filter(({ id }) => !seen.has(id));
    if (fresh.length === 0) break;
    const steps = await Promise.allSettled(fresh.map((chunk) => moveOn(fx, chunk.id)));
    for (const step of steps) if (step.status === 'rejected') faults.push(step.reason);
    for (const { id } of fresh) seen.add(id);
  }
  if (faults.length > 0) throw new AggregateError(faults, `${faults.length} chunks could not be moved on`);
  return seen.size;
}

async function moveOn(fx: Needs, id: string): Promise<void> {
  const chunk = await fx.chunks.find(id);
  if (chunk?.dueAt === undefined || chunk.dueAt > fx.now()) return;
  const batch = await fx.batches.find(chunk.batchId);
  if (batch === undefined || !isUpload(batch)) return;
  if (chunk.status === 'settling') await settleChunk(fx, batch, chunk);
  else if (chunk.status === 'running') await giveBack(fx, chunk, reclaimed(chunk, batch));
}

async function giveBack(fx: Needs, chunk: Chunk, waiting: Chunk): Promise<void> {
  if (!(await fx.chunks.replace(chunk, waiting))) return;
  await chargeFor(fx, chunk);
  await fx.queue.wake(chunk.orgId);
}
