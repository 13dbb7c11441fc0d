import type { Crawl, Outcome, OutcomeCounts, StopReason } from '../../contract/crawls/crawl.ts';
import type { Manifest } from '../../contract/crawls/manifest.ts';
import type { ErrorCode } from '../../errors.ts';

/** Why a request was not made, or not paid for. The others are failures. */
const NOT_RUN: Partial<Record<ErrorCode, Outcome>> = {
  deadline_exceeded: 'deadline',
  cancelled: 'cancelled',
  insufficient_credits: 'budget',
  key_not_allowed: 'budget',
};

export const outcomeOfError = (code: ErrorCode): Outcome => NOT_RUN[code] ?? 'failed';

/** No line of the crawl can run any more. */
const LOCKED_OUT: readonly ErrorCode[] = ['unauthorized', 'organization_suspended'];

/** The outcome of all that waits, if nothing more is requested. `codes`: of the last wave's lines. */
export function outcomeOfRest(
  { cancelledAt, deadlineAt }: Pick<Crawl, 'cancelledAt' | 'deadlineAt'>,
  codes: ReadonlySet<ErrorCode>,
  now: Date,
): Outcome | undefined {
  if (cancelledAt) return 'cancelled';
  const all = [...codes];
  if (deadlineAt <= now || all.some((code) => outcomeOfError(code) === 'deadline')) return 'deadline';
  if (all.some((code) => outcomeOfError(code) === 'budget')) return 'budget';
  return all.some((code) => LOCKED_OUT.includes(code) || code === 'cancelled') ? 'cancelled' : undefined;
}

/** Why a crawl has ended, by the first reason that holds. */
export function stopReasonOf(
  { cancelledAt }: Pick<Crawl, 'cancelledAt'>,
  outcomes: OutcomeCounts,
  { total, disallowed, unreachable, answered }: Manifest['seeds'],
): StopReason {
  if (cancelledAt || outcomes.cancelled) return 'cancelled';
  if (outcomes.deadline) return 'deadline';
  if (outcomes.budget) return 'max_credits';
  if (total > 0 && answered === 0 && disallowed === total) return 'robots';
  if (total > 0 && answered === 0 && disallowed + unreachable === total) return 'unreachable';
  return outcomes.limit ? 'limit' : 'done';
}
