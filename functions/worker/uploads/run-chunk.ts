import type { Organization } from '../../../shared/contract/account.ts';
import type { Chunk } from '../../../shared/contract/chunk.ts';
import { limitsOf } from '../../../shared/domain/credits/plan.ts';
import { hasSlotForJob } from '../../../shared/domain/credits/slots.ts';
import { MAX_ATTEMPTS, retryDelaySeconds, slotWaitSeconds } from '../../../shared/domain/job/backoff.ts';
import { NO_SCRAPES } from '../../../shared/domain/credits/usage-days.ts';
import { slotIdOf } from '../../../shared/domain/job/state.ts';
import { later } from '../../../shared/domain/job/timing.ts';
import { claimChunk, commit, MOST_DEATHS, released } from '../../../shared/domain/upload/chunk-state.ts';
import type { UploadBatch } from '../../../shared/domain/upload/upload-state.ts';
import { AppError, type ErrorCode } from '../../../shared/errors.ts';
import type { Trail } from '../../../shared/observe/trail.ts';
import type { Effects } from '../../../shared/ports.ts';
import {
  type ChunkNeeds,
  chargeFor,
  failChunk,
  settleChunk,
} from '../../../shared/use-cases/settle-chunk.ts';
import { admitLines } from './admit-lines.ts';
import { failedLine } from './line-result.ts';
import { type Limits, priceOf, type Ran, runLines, type Task } from './run-lines.ts';
import { storePart } from './store-part.ts';
import { leftBy, type Tasks, tasksOf } from './tasks-of.ts';
import { untilCancelled } from './until-cancelled.ts';

type Needs = ChunkNeeds &
  Pick<Effects, 'uploads' | 'results' | 'queue' | 'fetchPage' | 'renderPage' | 'convert' | 'count'>;

export type ChunkContext = Parameters<typeof tasksOf>[2] & {
  trail: Trail;
  /** Aborts when the worker itself must stop. */
  signal: AbortSignal;
};

/** `waits`: no slot is free. `throttled`: no browser is. */
export type ChunkVerdict = 'done' | 'waits' | 'throttled';

/** Lines of a turn. Their credits are held together. */
const MOST_LINES = 25;
const TURN_MS = 30_000;
const LEASE_MARGIN_MS = 20_000;

/**
 * Runs some lines of a chunk in a slot of its organization, then gives the chunk back. Safe to run twice,
 * concurrently, and to be killed after any line.
 */
export async function runChunk(
  fx: Needs,
  batch: UploadBatch,
  id: string,
  context: ChunkContext,
): Promise<ChunkVerdict> {
  const chunk = await fx.chunks.find(id);
  if (chunk?.status !== 'waiting' || (chunk.notBefore && chunk.notBefore > fx.now())) return 'done';
  const { trail } = context;
  trail.note({ requestId: batch.requestId, orgId: batch.orgId, batchId: batch.id });
  const organization = await fx.accounts.findOrganization(batch.orgId);
  const objection = await objectionTo(fx, batch, organization);
  if (objection || !organization) return giveUp(fx, batch, chunk, objection ?? 'unauthorized', context);
  const usage = await fx.accounts.usage(organization, fx.now());
  if (
    !hasSlotForJob(usage, limitsOf(organization), fx.now()) &&
    (await fx.accounts.noteWaiting(organization, fx.now()))
  )
    return 'waits';
  const found = await tasksOf(fx, batch, context, chunk, chunk.deaths > 0 ? 1 : MOST_LINES);
  if (found === undefined) return giveUp(fx, batch, chunk, 'upload_missing', context);
  const owned = claimChunk(chunk, later(fx.now(), TURN_MS + longestOf(found.tasks) + LEASE_MARGIN_MS));
  if (!(await fx.chunks.replace(chunk, owned))) return 'done';
  // The sweeper may have died before it freed the slot of a dead owner.
  if (chunk.deaths > 0) await chargeFor(fx, chunk);
  const admitted = await admitLines(fx, batch, owned, organization, found.tasks);
  if (admitted.refusal === 'too_many_concurrent') {
    const isNoted = await fx.accounts.noteWaiting(organization, fx.now());
    await fx.chunks.replace(owned, released(owned, batch));
    return isNoted ? 'waits' : 'done';
  }
  if (admitted.refusal) return giveUp(fx, batch, owned, admitted.refusal, context);
  const { tasks, restrictions } = admitted;
  const turn = { tasks: [...tasks], after: leftBy(found, tasks), restrictions };
  return runTurn(fx, batch, owned, turn, context);
}

async function runTurn(
  fx: Needs,
  batch: UploadBatch,
  owned: Chunk,
  found: Tasks & Pick<Limits, 'restrictions'>,
  { trail, signal }: ChunkContext,
): Promise<ChunkVerdict> {
  const { tasks } = found;
  const isCancelled = untilCancelled(fx, batch.id);
  const limits = {
    restrictions: found.restrictions,
    until: later(fx.now(), TURN_MS),
    deadlineAt: batch.deadlineAt,
    isCancelled,
    signal,
  };
  const { requestId, orgId } = batch;
  const scrapeId = slotIdOf(owned);
  const ran =
    owned.deaths > MOST_DEATHS
      ? killedOne(fx, tasks)
      : await runLines(fx, tasks, limits, { requestId, orgId, scrapeId, trail });
  trail.enter('store');
  const part =
    ran.results.length > 0 ? await storePart(fx.results, owned, owned.fencingToken, ran.results) : undefined;
  trail.enter('settle');
  const committed = commit(
    owned,
    { ...afterTurn(owned, found, ran), part, held: priceOf(tasks), tally: ran.tally },
    fx.now(),
  );
  trail.note({ credits: ran.tally.charged, status: `${ran.results.length} of ${tasks.length} lines` });
  if (!(await fx.chunks.replace(owned, committed))) return 'done';
  const waitSeconds = waitAfter(committed, ran);
  const notBefore = waitSeconds > 0 ? later(fx.now(), waitSeconds * 1_000) : undefined;
  await settleChunk(fx, batch, committed, notBefore);
  if (await isCancelled()) await failChunk(fx, batch, released(committed, batch, notBefore), 'cancelled');
  else if (waitSeconds > 0) await fx.queue.wake(batch.orgId, waitSeconds);
  return ran.isThrottled ? 'throttled' : 'done';
}

/** Seconds until another turn makes sense: a browser may be free, or a retry is due. */
function waitAfter(chunk: Chunk, { isThrottled }: Ran): number {
  if (isThrottled) return slotWaitSeconds(Math.random());
  const isFresh = chunk.next.at < chunk.at + chunk.bytes;
  const attempts = Math.min(...chunk.retries.map((retry) => retry.attempts), MAX_ATTEMPTS);
  return isFresh || chunk.retries.length === 0 ? 0 : retryDelaySeconds(attempts);
}

/** Where the next turn begins, and what ended in this one. */
function afterTurn(chunk: Chunk, { after }: Tasks, { results, retried, left }: Ran) {
  const fresh = left.find(({ attempts }) => attempts === 0);
  const tried = new Set([...results.map(({ head }) => head.line), ...retried.map(({ line }) => line)]);
  const failed = results.filter(({ head }) => head.status === 'failed');
  const invalid = failed.filter(({ isInvalid }) => isInvalid).length;
  return {
    next: fresh ? { line: fresh.line, at: fresh.at } : after,
    retries: [
      ...chunk.retries.filter(({ line }) => !tried.has(line)),
      ...retried.map(({ line, at, bytes, attempts }) => ({ line, at, bytes, attempts })),
    ],
    completed: results.length - failed.length,
    failed: failed.length - invalid,
    invalid,
  };
}

/** The line at hand kills its worker: the others go on without it. */
function killedOne({ now }: Pick<Effects, 'now'>, [first, ...left]: readonly Task[]): Ran {
  const results = first
    ? [failedLine({ ...first, attempts: MAX_ATTEMPTS }, new AppError('attempts_exhausted'), now())]
    : [];
  return { results, retried: [], left, tally: NO_SCRAPES, isThrottled: false };
}

/** Fails the lines that are left: none of them may run. */
async function giveUp(
  fx: Needs,
  batch: UploadBatch,
  chunk: Chunk,
  code: ErrorCode,
  { trail }: ChunkContext,
): Promise<ChunkVerdict> {
  trail.fail(new AppError(code));
  await failChunk(fx, batch, chunk, code);
  return 'done';
}

/** The reason the lines of a batch may no longer run. */
async function objectionTo(
  fx: Needs,
  batch: UploadBatch,
  organization: Organization | undefined,
): Promise<ErrorCode | undefined> {
  if (batch.deadlineAt <= fx.now()) return 'deadline_exceeded';
  if (organization?.status === 'suspended') return 'organization_suspended';
  const key = await fx.accounts.findKey(batch.keyId);
  return key?.status === 'active' ? undefined : 'unauthorized';
}

function longestOf(tasks: readonly Task[]): number {
  return Math.max(0, ...tasks.map(({ read }) => read.item?.timeout ?? 0));
}
