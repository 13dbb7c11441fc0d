import type { KeyRestrictions } from '../../../shared/contract/accounts/account.ts';
import type { BatchItem } from '../../../shared/contract/batches/batch-request.ts';
import type { Page } from '../../../shared/contract/scrape/page.ts';
import { assertFormats } from '../../../shared/domain/accounts/key-restrictions.ts';
import { cost } from '../../../shared/domain/accounts/credits/charge.ts';
import { endOfError, endOfPage } from '../../../shared/domain/accounts/credits/ended.ts';
import type { Ended } from '../../../shared/domain/accounts/credits/usage-days.ts';
import type { Line } from '../../../shared/domain/batches/split-lines.ts';
import { type AppError, toAppError } from '../../../shared/errors.ts';
import type { ScrapeContext } from '../../../shared/ports/scrape.ts';
import type { ReadLine } from '../../../shared/request/read-line.ts';
import { deadline } from '../../../shared/time/deadline.ts';
import type { PageNeeds } from '../../../shared/use-cases/scrape/get-page.ts';
import { type CacheNeeds, keepPage } from '../../../shared/use-cases/scrape/page-cache.ts';
import { repeatPage } from '../../../shared/use-cases/scrape/repeat-page.ts';
import { withRetryOn } from '../retry-on.ts';
import { failedLine, type LineResult, pageLine } from './line-result.ts';
import { addMs } from '../../../shared/time/units.ts';
import { mayRetry, secondsAfter } from '../../../shared/domain/work/attempts.ts';

export type LineNeeds = PageNeeds & CacheNeeds;

/** A line of the upload that is to be run. */
export type Task = Line & {
  read: ReadLine;
  attempts: number;
  /** If less than the line may cost. */
  heldCredits?: number | undefined;
};

export type LineLimits = {
  /** The batch must have ended by then. */
  deadlineAt: Date;
  /** Aborts when the worker itself must stop. */
  signal: AbortSignal;
  /** Of the key of the batch. */
  restrictions?: KeyRestrictions | undefined;
};

export type LineContext = Omit<ScrapeContext, 'signal' | 'deadlineAt'>;

/** The result of a line. Without `result` it has not ended, and is tried again. */
export type LineOutcome = { result?: LineResult; ended?: Ended; retryAt?: Date };

/** Runs one line. Never throws. */
export async function runLine(
  fx: LineNeeds,
  task: Task,
  { deadlineAt: end, signal: stop, restrictions }: LineLimits,
  { scrapeId, ...context }: LineContext,
): Promise<LineOutcome | 'stopped' | 'throttled'> {
  const { item, error } = task.read;
  if (item === undefined) return { result: failedLine(task, error, fx.now()) };
  const startedAt = fx.now();
  let page: Page;
  try {
    assertFormats(restrictions, item);
    using scrape = deadline(Math.min(item.timeout, end.getTime() - startedAt.getTime()), stop);
    const { signal, deadlineAt } = scrape;
    const tried = { retryOn: item.retryOn, attempt: task.attempts + 1, endsAt: end };
    const web = { ...fx, ...withRetryOn(fx, tried, fx.now) };
    const own = {
      ...context,
      scrapeId: `${scrapeId}.${task.line}`,
      workId: `${context.requestId}.${task.line}`,
    };
    const caller = { orgId: context.orgId, restrictions, workId: own.workId };
    const limits = { signal, deadlineAt, heldCredits: task.heldCredits };
    page = await repeatPage(web, item, { ...own, ...limits }, caller);
    await keepPage(fx, item, caller, page);
  } catch (thrown) {
    if (stop.aborted) return 'stopped';
    const failure = toAppError(thrown);
    if (failure.code === 'busy') return 'throttled';
    if (failure.code === 'internal') context.requestLog.fail(thrown);
    return failedAttempt(task, item, failure, { startedAt, now: fx.now() });
  }
  const ended = endOfPage(item, page);
  const times = { startedAt, completedAt: fx.now() };
  return { ended, result: pageLine(task, page, { credits: ended.charged, reason: ended.reason, ...times }) };
}

type Times = { startedAt: Date; now: Date };

function failedAttempt(
  task: Task,
  item: BatchItem,
  failure: AppError,
  { startedAt, now }: Times,
): LineOutcome {
  const attempt = task.attempts + 1;
  if (mayRetry(failure, { attempt, retryOn: item.retryOn, isRepeatable: true }))
    return { retryAt: addMs(now, secondsAfter(failure, attempt) * 1_000) };
  const ended = endOfError(item, failure);
  const tried = { ...task, attempts: attempt };
  return { ended, result: failedLine(tried, failure, now, startedAt) };
}

/** The credits that are held for lines: what they could cost together, unless there are fewer. */
export function priceOf(tasks: readonly Task[]): number {
  return tasks.reduce(
    (sum, { read, heldCredits }) => sum + (heldCredits ?? (read.item ? cost(read.item) : 0)),
    0,
  );
}

/** The longest timeout of the lines. */
export function longestOf(tasks: readonly Task[]): number {
  return Math.max(0, ...tasks.map(timeoutOf));
}

export function timeoutOf({ read }: Task): number {
  return read.item?.timeout ?? 0;
}
