import { chunkSlotId } from '../../../shared/domain/accounts/credits/slots.ts';
import type { Chunk } from '../../../shared/contract/batches/chunk.ts';
import { VerdictKind } from '../../../shared/contract/scrape/verdict.ts';
import { NO_SCRAPES } from '../../../shared/domain/accounts/credits/usage-days.ts';

import { commit, linesLeft, MAX_DEATHS, released } from '../../../shared/domain/batches/chunk-state.ts';
import { addedUp, type VerdictCounts } from '../../../shared/domain/batches/verdicts.ts';
import type { Batch } from '../../../shared/contract/batches/batch.ts';
import { AppError, type ErrorCode } from '../../../shared/errors.ts';
import type { RequestLog } from '../../../shared/observe/request-log.ts';
import type { Effects } from '../../../shared/ports/effects.ts';
import type { Places } from '../../../shared/use-cases/jobs/fill-places.ts';
import type { Organization } from '../../../shared/contract/accounts/account.ts';
import {
  chargeFor,
  type ChunkNeeds,
  failChunk,
  settleChunk,
} from '../../../shared/use-cases/batches/settle-chunk.ts';
import { extraSlots } from './extra-slots.ts';
import { failedLine, type LineResult } from './line-result.ts';
import { priceOf, type Task } from './run-line.ts';
import { type Limits, type Ran, runLines } from './run-lines.ts';
import { storePart } from './store-part.ts';
import { isFresh, type Tasks, type tasksOf } from './tasks-of.ts';
import { untilCancelled } from './until-cancelled.ts';
import { LEASE_MARGIN_MS, leaseEnd } from '../../../shared/domain/work/lease.ts';
import { addMs } from '../../../shared/time/units.ts';
import { MAX_ATTEMPTS, slotWaitSeconds } from '../../../shared/domain/work/attempts.ts';

export type TurnNeeds = ChunkNeeds &
  Pick<
    Effects,
    'keys' | 'waitList' | 'uploads' | 'results' | 'queue' | 'fetchPage' | 'renderPage' | 'convert' | 'count'
  >;

export type ChunkContext = Parameters<typeof tasksOf>[2] & {
  requestLog: RequestLog;
  places: Places;
  /** Aborts when the worker itself must stop. */
  signal: AbortSignal;
};

/** `more`: lines are left that may run now. `waits`: no slot is free. `throttled`: no browser is. */
export type ChunkVerdict = 'done' | 'more' | 'waits' | 'throttled';

/** SQS's maximum. The sweeper wakes what waits for longer. */
const MAX_WAKE_SECONDS = 900;

/** No line of a turn begins later, except beside a slow one. */
export const TURN_MS = 30_000;

/** Prolongs the lease of a chunk for lines that may end after it. */
function leaseOf({ chunks }: Pick<Effects, 'chunks'>, owned: Chunk): Limits['leaseUntil'] {
  let leased = addMs(owned.dueAt ?? new Date(0), -LEASE_MARGIN_MS);
  return async (end) => {
    if (end <= leased) return true;
    const dueAt = leaseEnd(end, 0);
    const isOwned = await chunks.replace(owned, { ...owned, dueAt }).catch(() => false);
    if (isOwned) leased = end;
    return isOwned;
  };
}

type WithOrganization = { organization: Organization };

/** Runs lines in a slot that was taken for them, commits what came of them, and settles it. */
export async function runTurn(
  fx: TurnNeeds,
  batch: Batch,
  owned: Chunk,
  { restrictions, organization, ...found }: Tasks & Pick<Limits, 'restrictions'> & WithOrganization,
  context: ChunkContext,
): Promise<ChunkVerdict> {
  const { requestLog, signal, places } = context;
  const turnEnd = addMs(fx.now(), TURN_MS);
  const { requestId, orgId, deadlineAt } = batch;
  const limits = {
    restrictions,
    until: turnEnd < deadlineAt ? turnEnd : deadlineAt,
    leaseUntil: leaseOf(fx, owned),
    deadlineAt,
    isCancelled: untilCancelled(fx, batch.id),
    signal,
  };
  const slots = extraSlots(fx, { owned, organization, places });
  const line = { requestId, orgId, scrapeId: chunkSlotId(owned), requestLog };
  const ran =
    owned.deaths > MAX_DEATHS
      ? failFirst(fx, found.tasks, 'attempts_exhausted')
      : await runLines(fx, found.tasks, limits, line, slots);
  return commitTurn(fx, batch, owned, { found, ran, held: priceOf(found.tasks), ...limits }, context);
}

/** Fails the first line, for which no slot could be taken: others may cost less. */
export async function refuseFirst(
  fx: TurnNeeds,
  batch: Batch,
  owned: Chunk,
  { code, ...found }: Tasks & { code: ErrorCode },
  context: ChunkContext,
): Promise<ChunkVerdict> {
  return commitTurn(fx, batch, owned, { found, ran: failFirst(fx, found.tasks, code), held: 0 }, context);
}

type Turn = { found: Tasks; ran: Ran; held: number } & Partial<Pick<Limits, 'isCancelled'>>;

async function commitTurn(
  fx: TurnNeeds,
  batch: Batch,
  owned: Chunk,
  { found, ran, held, isCancelled }: Turn,
  { requestLog }: ChunkContext,
): Promise<ChunkVerdict> {
  const { results, tally } = ran;
  requestLog.enter('store');
  const part =
    results.length > 0 ? await storePart(fx.results, owned, owned.fencingToken, results) : undefined;
  requestLog.enter('settle');
  const committed = commit(owned, { ...afterTurn(owned, found, ran), part, held, tally }, fx.now());
  requestLog.note({ credits: tally.charged, status: `${results.length} of ${found.tasks.length} lines` });
  if (!(await fx.chunks.replace(owned, committed))) return lose(fx, owned);
  const waitSeconds = waitAfter(committed, ran, fx.now());
  const notBefore = waitSeconds > 0 ? addMs(fx.now(), waitSeconds * 1_000) : undefined;
  await settleChunk(fx, batch, committed, notBefore);
  if (await isCancelled?.()) await failChunk(fx, batch, released(committed, batch, notBefore), 'cancelled');
  else if (waitSeconds > 0) await fx.queue.wake(batch.orgId, Math.min(waitSeconds, MAX_WAKE_SECONDS));
  else if (linesLeft(committed) > 0) return 'more';
  return ran.isThrottled ? 'throttled' : 'done';
}

/** Frees the slot of a chunk that was taken over. If the commit was made after all, the sweep settles it. */
async function lose(fx: TurnNeeds, owned: Chunk): Promise<ChunkVerdict> {
  const stored = await fx.chunks.find(owned.id);
  const isCommitted = stored?.fencingToken === owned.fencingToken && stored.version > owned.version;
  if (!isCommitted) await chargeFor(fx, owned);
  return 'done';
}

/** Seconds until another turn makes sense: a browser may be free, or a retry is due. */
function waitAfter(chunk: Chunk, { isThrottled }: Ran, now: Date): number {
  if (isThrottled) return slotWaitSeconds(Math.random());
  const isFresh = chunk.next.at < chunk.at + chunk.bytes;
  if (isFresh || chunk.retries.length === 0) return 0;
  const due = Math.min(...chunk.retries.map((retry) => Number(retry.due ?? now)));
  return Math.max(0, Math.ceil((due - now.getTime()) / 1_000));
}

/** Where the next turn begins, and what ended in this one. */
function afterTurn(chunk: Chunk, { after }: Tasks, { results, retried, left }: Ran) {
  const tried = new Set([...results.map(({ head }) => head.line), ...retried.map(({ line }) => line)]);
  const lastTried = Math.max(0, ...tried);
  const fresh = left.filter((task) => isFresh(chunk.next, task));
  const first = fresh.find(({ line }) => line > lastTried);
  const passedOver = fresh.filter(({ line }) => line < lastTried);
  const failed = results.filter(({ head }) => head.status === 'failed');
  const invalid = failed.filter(({ isInvalid }) => isInvalid).length;
  return {
    next: first ? { line: first.line, at: first.at } : after,
    retries: [
      ...chunk.retries.filter(({ line }) => !tried.has(line)),
      ...passedOver.map(({ line, at, bytes, attempts }) => ({ line, at, bytes, attempts })),
      ...retried.map(({ line, at, bytes, attempts, due }) => ({ line, at, bytes, attempts, due })),
    ],
    retried: retried.length,
    completed: results.length - failed.length,
    charged: results.filter(({ head }) => Number(head['credits_used']) > 0).length,
    verdicts: addedUp(results.map(verdictIn)),
    failed: failed.length - invalid,
    invalid,
  };
}

/** Of a page. */
function verdictIn({ head }: LineResult): VerdictCounts {
  const { data } = VerdictKind.safeParse(head['verdict']);
  return data && head.status === 'completed' ? { [data]: 1 } : {};
}

/** The first line cannot be run: the others continue without it. */
function failFirst({ now }: Pick<Effects, 'now'>, [first, ...left]: readonly Task[], code: ErrorCode): Ran {
  const attempts = code === 'attempts_exhausted' ? MAX_ATTEMPTS : (first?.attempts ?? 0);
  const results = first ? [failedLine({ ...first, attempts }, new AppError(code), now())] : [];
  return { results, retried: [], left, tally: NO_SCRAPES, isThrottled: false };
}
