import type { Batch } from '../../../shared/contract/batches/batch.ts';
import type { Chunk } from '../../../shared/contract/batches/chunk.ts';
import { fruitless } from '../../../shared/domain/batches/chunk-state.ts';
import { AppError, type ErrorCode } from '../../../shared/errors.ts';
import type { RequestLog } from '../../../shared/observe/request-log.ts';
import type { Effects } from '../../../shared/ports/effects.ts';
import { addMs, SECOND_MS } from '../../../shared/time/units.ts';
import {
  chargeChunk,
  type ChunkNeeds,
  failChunk,
  settleChunk,
} from '../../../shared/use-cases/batches/settle-chunk.ts';

type Owned = { batch: Batch; owned: Chunk };

/** Frees the slot of a chunk that was taken over. If the commit was made after all, the sweep settles it. */
export async function lose(fx: ChunkNeeds, owned: Chunk): Promise<'done'> {
  const stored = await fx.chunks.find(owned.id);
  const isCommitted = stored?.fencingToken === owned.fencingToken && stored.charge !== undefined;
  if (!isCommitted) await chargeChunk(fx, owned);
  return 'done';
}

/** For some seconds, in which the cause may pass. If something was committed, the sweeper continues. */
export async function giveBack(
  fx: ChunkNeeds & Pick<Effects, 'queue'>,
  { batch, owned }: Owned,
  seconds: number,
): Promise<void> {
  const left = fruitless(owned, fx.now());
  if (!(await fx.chunks.replace(owned, left))) return;
  await settleChunk(fx, batch, left, addMs(fx.now(), seconds * SECOND_MS));
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
