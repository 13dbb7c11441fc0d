import type { Organization } from '../../../shared/contract/accounts/account.ts';
import type { Chunk } from '../../../shared/contract/batches/chunk.ts';
import { limitsOf } from '../../../shared/domain/accounts/credits/plan.ts';
import { hasSlotForJob } from '../../../shared/domain/accounts/credits/slots.ts';
import { claimChunk, givenBack } from '../../../shared/domain/batches/chunk-state.ts';
import type { Batch } from '../../../shared/contract/batches/batch.ts';
import { AppError, type ErrorCode } from '../../../shared/errors.ts';
import { chargeFor, failChunk } from '../../../shared/use-cases/batches/settle-chunk.ts';
import { objectionTo } from '../objection-to.ts';
import { type Admitted, admitLines } from './admit-lines.ts';
import { longestOf } from './run-line.ts';
import {
  type ChunkContext,
  type ChunkVerdict,
  refuseFirst,
  runTurn,
  TURN_MS,
  type TurnNeeds,
} from './run-turn.ts';
import { leftBy, type Tasks, tasksOf } from './tasks-of.ts';
import { addMs } from '../../../shared/time/units.ts';
import { leaseEnd } from '../../../shared/domain/work/lease.ts';

/** Lines of a turn. Their credits are held together. */
const MAX_LINES = 25;
/** Until other scrapes have returned the credits that they hold. */
const CREDITS_SECONDS = 5;
/** After a fault of the service, which the next turn may meet too. */
const FAULT_SECONDS = 10;

/** Runs some lines in a slot, then gives the chunk back. Safe to run twice, and to be killed at any line. */
export async function runChunk(
  fx: TurnNeeds,
  batch: Batch,
  id: string,
  context: ChunkContext,
): Promise<ChunkVerdict> {
  const chunk = await fx.chunks.find(id);
  if (chunk?.status !== 'waiting' || (chunk.notBefore && chunk.notBefore > fx.now())) return 'done';
  const { requestLog } = context;
  requestLog.note({ requestId: batch.requestId, orgId: batch.orgId, batchId: batch.id });
  const organization = await fx.organizations.find(batch.orgId);
  const isLate = batch.deadlineAt <= fx.now();
  const objection = isLate ? 'deadline_exceeded' : await objectionTo(fx, organization, batch.keyId);
  if (objection || !organization) return giveUp(fx, batch, chunk, objection ?? 'unauthorized', context);
  const usage = await fx.usage.read(organization, fx.now());
  const isFull = !hasSlotForJob(usage, limitsOf(organization), fx.now());
  if (isFull && (await fx.waitList.noteWaiting(organization, fx.now()))) return 'waits';
  const found = await tasksOf(fx, batch, context, chunk, chunk.careful > 0 ? 1 : MAX_LINES);
  if (found === undefined) return giveUp(fx, batch, chunk, 'upload_missing', context);
  const { tasks } = found;
  const until = leaseEnd(fx.now(), TURN_MS + longestOf(tasks));
  const owned = claimChunk(chunk, until, tasks.length);
  if (!(await fx.chunks.replace(chunk, owned))) return 'done';
  try {
    // The sweeper may have died before it freed the slot of a dead owner.
    if (chunk.deaths > 0) await chargeFor(fx, chunk);
    const admitted = await admitLines(fx, batch, owned, organization, tasks);
    return await proceed(fx, { batch, owned, organization, found }, admitted, context);
  } catch (error) {
    await giveBack(fx, batch, owned, FAULT_SECONDS);
    throw error;
  }
}

type Owned = { batch: Batch; owned: Chunk; organization: Organization; found: Tasks };

async function proceed(
  fx: TurnNeeds,
  { batch, owned, organization, found }: Owned,
  admitted: Admitted,
  context: ChunkContext,
): Promise<ChunkVerdict> {
  switch (admitted.outcome) {
    case 'admitted': {
      const { tasks, restrictions } = admitted;
      const run = { tasks, after: leftBy(owned, found, tasks), restrictions, organization };
      return runTurn(fx, batch, owned, run, context);
    }
    case 'full': {
      const isNoted = await fx.waitList.noteWaiting(organization, fx.now());
      await fx.chunks.replace(owned, givenBack(owned, batch));
      return isNoted ? 'waits' : 'done';
    }
    case 'later':
      await giveBack(fx, batch, owned, CREDITS_SECONDS);
      return 'done';
    case 'one':
      return refuseFirst(fx, batch, owned, { ...found, code: admitted.code }, context);
    case 'all':
      return giveUp(fx, batch, owned, admitted.code, context);
  }
}

/** For some seconds, in which the cause may pass. If something was committed, the sweeper continues. */
async function giveBack(fx: TurnNeeds, batch: Batch, owned: Chunk, seconds: number): Promise<void> {
  const waiting = givenBack(owned, batch, addMs(fx.now(), seconds * 1_000));
  if (!(await fx.chunks.replace(owned, waiting))) return;
  await chargeFor(fx, owned);
  await fx.queue.wake(batch.orgId, seconds);
}

/** Fails the lines that are left: none of them may run. */
async function giveUp(
  fx: TurnNeeds,
  batch: Batch,
  chunk: Chunk,
  code: ErrorCode,
  { requestLog }: ChunkContext,
): Promise<ChunkVerdict> {
  requestLog.fail(new AppError(code));
  await failChunk(fx, batch, chunk, code);
  return 'done';
}
