import type { Organization } from '../../../shared/contract/accounts/account.ts';
import type { Batch } from '../../../shared/contract/batches/batch.ts';
import type { Chunk } from '../../../shared/contract/batches/chunk.ts';
import { limitsOf } from '../../../shared/domain/accounts/credits/plan.ts';
import { hasSlotForJob } from '../../../shared/domain/accounts/credits/slots.ts';
import { claimChunk, givenBack, MAX_DEATHS } from '../../../shared/domain/batches/chunk-state.ts';
import { leaseEnd } from '../../../shared/domain/work/lease.ts';
import type { ErrorCode } from '../../../shared/errors.ts';
import type { RequestLog } from '../../../shared/observe/request-log.ts';
import type { Effects } from '../../../shared/ports/effects.ts';
import type { ChunkNeeds } from '../../../shared/use-cases/batches/settle-chunk.ts';
import type { Places } from '../../../shared/use-cases/jobs/fill-places.ts';
import type { HeldPlace, HostNeeds } from '../crawls/visit-host.ts';
import { reasonNotToRun } from '../reason-not-to-run.ts';
import { admitLines } from './admit-lines.ts';
import { giveBack, giveUpChunk } from './leave-chunk.ts';
import { type LineNeeds, longestOf, priceOf } from './run-line.ts';
import type { RunLimits } from './run-lines.ts';
import { type Hosts, takeHost } from './take-host.ts';
import { firstOf, leftBy, type Reading, type Tasks, tasksOf } from './tasks-of.ts';
import { affordableLines, turnOf, type TurnSize } from './turn-size.ts';
import { untilCancelled } from './until-cancelled.ts';

export type RunChunkNeeds = ChunkNeeds &
  LineNeeds &
  HostNeeds &
  Pick<Effects, 'keys' | 'waitList' | 'uploads' | 'queue'>;

export type ChunkContext = Reading &
  Hosts & {
    requestLog: RequestLog;
    places: Places;
    /** By which robots.txt knows the service. */
    robotsToken: string;
    /** Aborts when the worker itself must stop. */
    signal: AbortSignal;
  };

/**
 * `more`: lines are left that may run now. `waits`: no slot is free. `throttled`: no browser is free. `full`:
 * the host of a crawl takes no more requests.
 */
export type ChunkOutcome = 'done' | 'more' | 'waits' | 'throttled' | 'full';

/** A chunk that this worker owns, and the lines that it runs next. */
export type Claim = Pick<RunLimits, 'isCancelled'> & {
  batch: Batch;
  owned: Chunk;
  organization: Organization;
  found: Tasks;
  turn: TurnSize;
  /** Of a chunk of a crawl. */
  place: HeldPlace | undefined;
};

/** A claim with a slot and credits, or with the reason why its first line cannot run. */
export type Admitted = Claim & Pick<RunLimits, 'restrictions'> & { held: number; refusal?: ErrorCode };

/** Until other scrapes have returned the credits that they hold. */
const CREDITS_SECONDS = 5;

/** Takes the chunk for this worker, unless it may not run or is another's. */
export async function claim(
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
  const limits = limitsOf(organization);
  const isFull = !hasSlotForJob(usage, limits, fx.now());
  if (isFull && (await fx.waitList.noteWaiting(organization, fx.now()))) return 'waits';
  const turn = turnOf(chunk);
  const all = await tasksOf(fx, batch, context, chunk, turn.lines);
  if (all === undefined) return giveUpChunk(fx, batch, chunk, 'upload_missing', context.requestLog);
  const price = priceOf(all.tasks) / Math.max(1, all.tasks.length);
  const found = firstOf(chunk, all, affordableLines(usage, price, limits.concurrency));
  const until = leaseEnd(fx.now(), turn.ms + longestOf(found.tasks));
  const place = await takeHost(fx, { batch, chunk, until }, context);
  if (typeof place === 'string') return place;
  const owned = claimChunk(chunk, until, found.tasks.length);
  if ((await fx.chunks.replace(chunk, owned)) || (place && (await wasClaimed(fx, owned))))
    return { batch, owned, organization, found, turn, place, isCancelled: untilCancelled(fx, batch.id) };
  await place?.leave();
  return 'done';
}

/**
 * A place at the host is named after chunk and token. While it is held, nobody else claims the chunk, and a
 * worker that has left it since has another lease.
 */
async function wasClaimed({ chunks }: RunChunkNeeds, { id, fencingToken, dueAt }: Chunk): Promise<boolean> {
  const stored = await chunks.find(id);
  const isSame = stored?.status === 'running' && stored.fencingToken === fencingToken;
  return isSame && stored.dueAt?.getTime() === dueAt?.getTime();
}

/** Takes a slot and the credits for as many lines as they suffice for. */
export async function admit(
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
      return { ...claimed, found: leftBy(owned, found, tasks), held: priceOf(tasks), restrictions };
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
      // All URLs of a crawl cost the same.
      if (owned.crawl) return giveUpChunk(fx, batch, owned, admission.code, context.requestLog);
      return { ...claimed, held: 0, refusal: admission.code };
    case 'all':
      return giveUpChunk(fx, batch, owned, admission.code, context.requestLog);
  }
}
