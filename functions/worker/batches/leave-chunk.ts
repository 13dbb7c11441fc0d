import type { Batch } from '../../../shared/contract/batches/batch.ts';
import type { Chunk } from '../../../shared/contract/batches/chunk.ts';
import { givenBack } from '../../../shared/domain/batches/chunk-state.ts';
import { AppError, type ErrorCode } from '../../../shared/errors.ts';
import type { RequestLog } from '../../../shared/observe/request-log.ts';
import type { Effects } from '../../../shared/ports/effects.ts';
import { addMs, SECOND_MS } from '../../../shared/time/units.ts';
import { chargeChunk, type ChunkNeeds, failChunk } from '../../../shared/use-cases/batches/settle-chunk.ts';

type Owned = { batch: Batch; owned: Chunk };

/** Frees the slot of a chunk that was taken over. If the commit was made after all, the sweep settles it. */
export async function lose(fx: ChunkNeeds, owned: Chunk): Promise<'done'> {
  const stored = await fx.chunks.find(owned.id);
  const isCommitted = stored?.fencingToken === owned.fencingToken && stored.version > owned.version;
  if (!isCommitted) await chargeChunk(fx, owned);
  return 'done';
}

/** For some seconds, in which the cause may pass. If something was committed, the sweeper continues. */
export async function giveBack(
  fx: ChunkNeeds & Pick<Effects, 'queue'>,
  { batch, owned }: Owned,
  seconds: number,
): Promise<void> {
  const waiting = givenBack(owned, batch, addMs(fx.now(), seconds * SECOND_MS));
  if (!(await fx.chunks.replace(owned, waiting))) return;
  await chargeChunk(fx, owned);
  await fx.queue.wake(batch.orgId, seconds);
}

/** Fails the lines that are left: none of them may run. */
export async function giveUpChunk(
  fx: ChunkNeeds,
  batch: Batch,
  chunk: Chunk,
  code: ErrorCode,
  requestLog: RequestLog,
): Promise<'done'> {
  requestLog.fail(new AppError(code));
  await failChunk(fx, batch, chunk, code);
  return 'done';
}
