import type { KeyRestrictions } from '../../../shared/contract/accounts/account.ts';
import type { BatchItem } from '../../../shared/contract/batches/batch-request.ts';
import type { WaveLine } from '../../../shared/contract/crawls/wave.ts';
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
import { crawlPage, REFUSALS, type Refusal } from '../crawls/crawl-page.ts';
import { type FoundAt, foundDisallowed, foundLater, LINKS_MS } from '../crawls/found-at.ts';
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
  /** Of a URL of a crawl. */
  crawl?: WaveLine['crawl'] | undefined;
};

export type LineLimits = {
  /** The batch must have ended by then. */
  deadlineAt: Date;
  /** Aborts when the worker itself must stop. */
  signal: AbortSignal;
  /** Of the key of the batch. */
  restrictions?: KeyRestrictions | undefined;
  /** Called as a request of a crawl begins. */
  started?: () => void;
};

export type LineContext = Omit<ScrapeContext, 'signal' | 'deadlineAt'>;

/** The result of a line. Without `result` it has not ended, and is tried again. */
export type LineOutcome = { result?: LineResult; ended?: Ended; retryAt?: Date };

/** Of lines that have not ended: the worker, the browsers or the host of a crawl want no more of them. */
export type Unended = 'stopped' | 'throttled' | { refusal: Refusal };

/** Runs one line. Never throws. */
export async function runLine(
  fx: LineNeeds,
  task: Task,
  limits: LineLimits,
  context: LineContext,
): Promise<LineOutcome | Unended> {
  const { item, error } = task.read;
  if (item === undefined) return { result: failedLine(task, error, fx.now()) };
  const startedAt = fx.now();
  let came: Came;
  try {
    assertFormats(limits.restrictions, item);
    came = await pageOf(fx, { task, item, startedAt }, limits, context);
  } catch (thrown) {
    if (limits.signal.aborted) return 'stopped';
    const failure = toAppError(thrown);
    if (failure.code === 'busy') return 'throttled';
    if (failure.code === 'internal') context.requestLog.fail(thrown);
    return failedAttempt(task, item, failure, { startedAt, now: fx.now() });
  }
  if ('refusal' in came) return came;
  const { page, ...found } = came;
  const ended = endOfPage(item, page);
  const times = { startedAt, completedAt: fx.now() };
  const end = { credits: ended.charged, reason: ended.reason, ...times };
  return { ended, result: { ...pageLine(task, page, end), ...found } };
}

type Came = { page: Page; found?: FoundAt } | { refusal: Refusal };

async function pageOf(
  fx: LineNeeds,
  { task, item, startedAt }: { task: Task; item: BatchItem; startedAt: Date },
  { deadlineAt: endsAt, signal: stop, restrictions, started = () => undefined }: LineLimits,
  { scrapeId, ...context }: LineContext,
): Promise<Came> {
  const { crawl, heldCredits } = task;
  using scrape = deadline(Math.min(item.timeout, endsAt.getTime() - startedAt.getTime()), stop);
  const { signal, deadlineAt } = scrape;
  const retryOn = crawl ? item.retryOn?.filter((each) => !REFUSALS.includes(each)) : item.retryOn;
  const web = { ...fx, ...withRetryOn(fx, { retryOn, attempt: task.attempts + 1, endsAt }, fx.now) };
  const workId = `${context.requestId}.${task.line}`;
  const caller = { orgId: context.orgId, restrictions, workId };
  const own = { ...context, scrapeId: `${scrapeId}.${task.line}`, workId, signal, deadlineAt, heldCredits };
  if (crawl) return await crawlPage(web, { request: item, crawl, started, stop }, own, caller);
  const page = await repeatPage(web, item, own, caller);
  await keepPage(fx, item, caller, page);
  return { page };
}

type Times = { startedAt: Date; now: Date };

function failedAttempt(
  task: Task,
  item: BatchItem,
  failure: AppError,
  { startedAt, now }: Times,
): LineOutcome {
  const attempt = task.attempts + 1;
  const result = failedLine({ ...task, attempts: attempt }, failure, now, startedAt);
  if (!mayRetry(failure, { attempt, retryOn: item.retryOn, isRepeatable: true })) {
    const found = task.crawl && foundDisallowed(failure, now);
    return { ended: endOfError(item, failure), result: { ...result, ...(found && { found }) } };
  }
  const retryAt = addMs(now, secondsAfter(failure, attempt) * 1_000);
  return task.crawl ? { result: { ...result, found: foundLater(attempt, retryAt, now) } } : { retryAt };
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

export function timeoutOf({ read, crawl }: Task): number {
  return (read.item?.timeout ?? 0) + (crawl ? LINKS_MS : 0);
}
