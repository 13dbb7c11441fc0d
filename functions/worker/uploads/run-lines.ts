import { later } from '../../../shared/domain/jobs/timing.ts';
import type { KeyRestrictions } from '../../../shared/contract/accounts/account.ts';
import type { BatchItem } from '../../../shared/contract/batches/batch-request.ts';
import type { Page } from '../../../shared/contract/scrape/page.ts';
import { assertFormats } from '../../../shared/domain/accounts/key-restrictions.ts';
import { charge, cost } from '../../../shared/domain/accounts/credits/charge.ts';
import { reasonOfError, reasonOfPage } from '../../../shared/domain/accounts/credits/credits-reason.ts';
import {
  type Ended,
  kindOf,
  NO_SCRAPES,
  type Tally,
  withScrape,
} from '../../../shared/domain/accounts/credits/usage-days.ts';
import { secondsAfter, withRetryOn } from '../retry-on.ts';
import { MAX_ATTEMPTS } from '../../../shared/domain/jobs/backoff.ts';
import { type AppError, catalogue, toAppError } from '../../../shared/errors.ts';
import type { Effects } from '../../../shared/ports/effects.ts';
import type { ScrapeContext } from '../../../shared/ports/scrape.ts';
import type { ReadLine } from '../../../shared/request/read-line.ts';
import { deadline } from '../../../shared/time/deadline.ts';
import { getPage } from '../../../shared/use-cases/scrape/get-page.ts';
import type { Line } from '../../../shared/domain/batches/split-lines.ts';
import { failedLine, type LineResult, pageLine } from './line-result.ts';

type Needs = Pick<Effects, 'fetchPage' | 'renderPage' | 'convert' | 'count' | 'now'>;

/** A line of the upload that is to be run. */
export type Task = Line & { read: ReadLine; attempts: number };

export type Limits = {
  /** No line begins later. */
  until: Date;
  /** The batch must have ended by then. */
  deadlineAt: Date;
  /** No more lines begin then. */
  isCancelled: () => Promise<boolean>;
  /** Aborts when the worker itself must stop. */
  signal: AbortSignal;
  /** Of the key of the batch. */
  restrictions?: KeyRestrictions | undefined;
};

/** What came of a line. Without `result` it has not ended, and is tried again. */
type Outcome = { result?: LineResult; ended?: Ended; retryAt?: Date };

/** What came of the lines of one turn, and why it ended before all of them were run. */
export type Ran = {
  results: LineResult[];
  retried: (Task & { due: Date })[];
  /** Not begun. */
  left: Task[];
  tally: Tally;
  isThrottled: boolean;
};

/** Results of a turn are kept in memory until they are stored. */
const MAX_BYTES = 4_000_000;

/** Runs lines one after another, as long as the limits allow. Never throws. */
export async function runLines(
  fx: Needs,
  tasks: readonly Task[],
  limits: Limits,
  context: Omit<ScrapeContext, 'signal' | 'deadlineAt'>,
): Promise<Ran> {
  const ran: Ran = { results: [], retried: [], left: [...tasks], tally: NO_SCRAPES, isThrottled: false };
  let bytes = 0;
  while (bytes < MAX_BYTES && fx.now() < limits.until) {
    const [task] = ran.left;
    if (task === undefined || limits.signal.aborted || (await limits.isCancelled())) break;
    const outcome = await runLine(fx, task, limits, context);
    if (outcome === 'stopped') break;
    if (outcome === 'throttled') {
      ran.isThrottled = true;
      break;
    }
    ran.left.shift();
    const { retryAt: due } = outcome;
    if (due) ran.retried.push({ ...task, attempts: task.attempts + 1, due });
    if (outcome.result) ran.results.push(outcome.result);
    if (outcome.ended) ran.tally = withScrape(ran.tally, outcome.ended);
    bytes += outcome.result?.page?.body.byteLength ?? 0;
  }
  return ran;
}

async function runLine(
  fx: Needs,
  task: Task,
  { deadlineAt: end, signal: stop, restrictions }: Limits,
  context: Omit<ScrapeContext, 'signal' | 'deadlineAt'>,
): Promise<Outcome | 'stopped' | 'throttled'> {
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
    page = await getPage(web, item, { ...context, signal, deadlineAt });
  } catch (thrown) {
    if (stop.aborted) return 'stopped';
    const failure = toAppError(thrown);
    if (failure.code === 'busy') return 'throttled';
    if (failure.code === 'internal') context.requestLog.fail(thrown);
    return failedAttempt(task, item, failure, { startedAt, now: fx.now() });
  }
  const credits = charge(item, page);
  const ended: Ended = { kind: kindOf(item), reason: reasonOfPage(credits, page.verdict), charged: credits };
  const times = { startedAt, completedAt: fx.now() };
  return { ended, result: pageLine(task, page, { credits, reason: ended.reason, ...times }) };
}

type Times = { startedAt: Date; now: Date };

function failedAttempt(task: Task, item: BatchItem, failure: AppError, { startedAt, now }: Times): Outcome {
  const { code } = failure;
  const isOfStatus = item.retryOn?.includes(Number(failure.fields['target_status'])) ?? false;
  const mayPass = catalogue[code].retryable || isOfStatus || code === 'internal';
  const attempt = task.attempts + 1;
  if (mayPass && attempt < MAX_ATTEMPTS)
    return { retryAt: later(now, secondsAfter(failure, { attempt }) * 1_000) };
  const ended: Ended = { kind: kindOf(item), reason: reasonOfError(code), charged: 0 };
  const tried = { ...task, attempts: attempt };
  return { ended, result: failedLine(tried, failure, now, startedAt) };
}

/** What lines could cost together. */
export function priceOf(tasks: readonly Task[]): number {
  return tasks.reduce((sum, { read }) => sum + (read.item ? cost(read.item) : 0), 0);
}
