import type { Organization } from '../../../shared/contract/accounts/account.ts';
import type { Batch } from '../../../shared/contract/batches/batch.ts';
import type { Chunk } from '../../../shared/contract/batches/chunk.ts';
import { limitsOf } from '../../../shared/domain/accounts/credits/plan.ts';
import { chunkSlotId, hasSlotForJob } from '../../../shared/domain/accounts/credits/slots.ts';
import {
  claimChunk,
  withWork,
  givenBack,
  linesLeft,
  MAX_DEATHS,
  released,
} from '../../../shared/domain/batches/chunk-state.ts';
import { leaseEnd } from '../../../shared/domain/work/lease.ts';
import type { ErrorCode } from '../../../shared/errors.ts';
import type { RequestLog } from '../../../shared/observe/request-log.ts';
import type { Effects } from '../../../shared/ports/effects.ts';
import { addMs, SECOND_MS } from '../../../shared/time/units.ts';
import { type ChunkNeeds, failChunk, settleChunk } from '../../../shared/use-cases/batches/settle-chunk.ts';
import type { Places } from '../../../shared/use-cases/jobs/fill-places.ts';
import { reasonNotToRun } from '../reason-not-to-run.ts';
import { admitLines } from './admit-lines.ts';
import { giveBack, giveUpChunk, lose } from './leave-chunk.ts';
import { failFirst, waitSecondsAfter, workIn } from './chunk-work.ts';
import { extraSlots } from './extra-slots.ts';
import { type LineNeeds, longestOf, priceOf } from './run-line.ts';
import { leaseOf, type RunLimits, type Ran, runLines } from './run-lines.ts';
import { storePart } from './store-part.ts';
import { leftBy, type Reading, type Tasks, tasksOf } from './tasks-of.ts';
import { untilCancelled } from './until-cancelled.ts';

export type RunChunkNeeds = ChunkNeeds & LineNeeds & Pick<Effects, 'keys' | 'waitList' | 'uploads' | 'queue'>;

export type ChunkContext = Reading & {
  requestLog: RequestLog;
  places: Places;
  /** Aborts when the worker itself must stop. */
  signal: AbortSignal;
};

/** `more`: lines are left that may run now. `waits`: no slot is free. `throttled`: no browser is free. */
export type ChunkOutcome = 'done' | 'more' | 'waits' | 'throttled';

/** A chunk that this worker owns, and the lines that it runs next. */
type Claim = Pick<RunLimits, 'isCancelled'> & {
  batch: Batch;
  owned: Chunk;
  organization: Organization;
  found: Tasks;
};

/** A claim with a slot and credits, or with the reason why its first line cannot run. */
type Admitted = Claim & Pick<RunLimits, 'restrictions'> & { held: number; refusal?: ErrorCode };

/** Lines of a turn. Their credits are held together. */
const MAX_LINES = 25;
/** No line of a turn begins later, except beside a slow one. */
const TURN_MS = 30 * SECOND_MS;
/** Until other scrapes have returned the credits that they hold. */
const CREDITS_SECONDS = 5;
/** After a fault of the service, which the next turn may meet too. */
const FAULT_SECONDS = 10;
/** SQS's maximum. The sweeper wakes what waits for longer. */
const MAX_WAKE_SECONDS = 900;

/** Runs some lines in a slot, then gives the chunk back. Safe to run twice, and to be killed at any line. */
export async function runChunk(
  fx: RunChunkNeeds,
  batch: Batch,
  id: string,
  context: ChunkContext,
): Promise<ChunkOutcome> {
  const claimed = await claim(fx, batch, id, context);
  if (typeof claimed === 'string') return claimed;
  try {
    const admitted = await admit(fx, claimed, context);
    if (typeof admitted === 'string') return admitted;
    return await commit(fx, admitted, await run(fx, admitted, context), context);
  } catch (error) {
    await giveBack(fx, claimed, FAULT_SECONDS);
    throw error;
  }
}

/** Takes the chunk for this worker, unless it may not run or is another's. */
async function claim(
  fx: RunChunkNeeds,
  batch: Batch,
  id: string,
  context: ChunkContext,
): Promise<Claim | ChunkOutcome> {
  const chunk = await fx.chunks.find(id);
  if (chunk?.status !== 'waiting' || (chunk.notBefore && chunk.notBefore > fx.now())) return 'done';
  context.requestLog.note({ requestId: batch.requestId, orgId: batch.orgId, batchId: batch.id });
  const organization = await fx.organizations.find(batch.orgId);
  const isLate = batch.deadlineAt <= fx.now();
  const objection = isLate ? 'deadline_exceeded' : await reasonNotToRun(fx, organization, batch.keyId);
  if (objection || !organization)
    return giveUpChunk(fx, batch, chunk, objection ?? 'unauthorized', context.requestLog);
  const usage = await fx.usage.read(organization, fx.now());
  const isFull = !hasSlotForJob(usage, limitsOf(organization), fx.now());
  if (isFull && (await fx.waitList.noteWaiting(organization, fx.now()))) return 'waits';
  const found = await tasksOf(fx, batch, context, chunk, chunk.careful > 0 ? 1 : MAX_LINES);
  if (found === undefined) return giveUpChunk(fx, batch, chunk, 'upload_missing', context.requestLog);
  const until = leaseEnd(fx.now(), TURN_MS + longestOf(found.tasks));
  const owned = claimChunk(chunk, until, found.tasks.length);
  if (!(await fx.chunks.replace(chunk, owned))) return 'done';
  return { batch, owned, organization, found, isCancelled: untilCancelled(fx, batch.id) };
}

/** Takes a slot and the credits for as many lines as they suffice for. */
async function admit(
  fx: RunChunkNeeds,
  claimed: Claim,
  context: ChunkContext,
): Promise<Admitted | ChunkOutcome> {
  const { batch, owned, organization, found } = claimed;
  if (owned.deaths > MAX_DEATHS) return { ...claimed, held: 0, refusal: 'attempts_exhausted' };
  const admission = await admitLines(fx, batch, owned, organization, found.tasks);
  switch (admission.outcome) {
    case 'admitted': {
      const { tasks, restrictions } = admission;
      const after = leftBy(owned, found, tasks);
      return { ...claimed, found: { tasks, after }, held: priceOf(tasks), restrictions };
    }
    case 'full': {
      const isNoted = await fx.waitList.noteWaiting(organization, fx.now());
      await fx.chunks.replace(owned, givenBack(owned, batch));
      return isNoted ? 'waits' : 'done';
    }
    case 'later':
      await giveBack(fx, claimed, CREDITS_SECONDS);
      return 'done';
    case 'one':
      return { ...claimed, held: 0, refusal: admission.code };
    case 'all':
      return giveUpChunk(fx, batch, owned, admission.code, context.requestLog);
  }
}

async function run(fx: RunChunkNeeds, admitted: Admitted, context: ChunkContext): Promise<Ran> {
  const { batch, owned, organization, found, refusal, isCancelled, restrictions } = admitted;
  if (refusal) return failFirst(found.tasks, refusal, fx.now());
  const { requestId, orgId, deadlineAt } = batch;
  const { requestLog, signal, places } = context;
  const turnEnd = addMs(fx.now(), TURN_MS);
  const until = turnEnd < deadlineAt ? turnEnd : deadlineAt;
  const limits = { restrictions, until, leaseUntil: leaseOf(fx, owned), deadlineAt, isCancelled, signal };
  const slots = extraSlots(fx, { owned, organization, places });
  const line = { requestId, orgId, scrapeId: chunkSlotId(owned), requestLog };
  return runLines(fx, found.tasks, limits, line, slots);
}

/** Stores and commits the results, then charges and counts them, and gives the chunk back. */
async function commit(
  fx: RunChunkNeeds,
  { batch, owned, found, held, isCancelled }: Admitted,
  ran: Ran,
  { requestLog }: ChunkContext,
): Promise<ChunkOutcome> {
  const { results, tally } = ran;
  requestLog.enter('store');
  const part =
    results.length > 0 ? await storePart(fx.results, owned, owned.fencingToken, results) : undefined;
  requestLog.enter('settle');
  const after = withWork(owned, { ...workIn(owned, found, ran), part, held, tally }, fx.now());
  requestLog.note({ credits: tally.charged, status: `${results.length} of ${found.tasks.length} lines` });
  if (!(await fx.chunks.replace(owned, after))) return lose(fx, owned);
  const waitSeconds = waitSecondsAfter(after, ran, fx.now());
  const notBefore = waitSeconds > 0 ? addMs(fx.now(), waitSeconds * SECOND_MS) : undefined;
  await settleChunk(fx, batch, after, notBefore);
  if (await isCancelled()) await failChunk(fx, batch, released(after, batch, notBefore), 'cancelled');
  else if (waitSeconds > 0) await fx.queue.wake(batch.orgId, Math.min(waitSeconds, MAX_WAKE_SECONDS));
  else if (linesLeft(after) > 0) return 'more';
  return ran.isThrottled ? 'throttled' : 'done';
}
