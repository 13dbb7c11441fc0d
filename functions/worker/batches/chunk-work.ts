import type { Chunk } from '../../../shared/contract/batches/chunk.ts';
import { VerdictKind } from '../../../shared/contract/scrape/verdict.ts';
import { NO_SCRAPES } from '../../../shared/domain/accounts/credits/usage-days.ts';
import { type CommittedWork, linesLeft } from '../../../shared/domain/batches/chunk-state.ts';
import { addedUp, type VerdictCounts } from '../../../shared/domain/batches/verdicts.ts';
import { MAX_ATTEMPTS, slotWaitSeconds } from '../../../shared/domain/work/attempts.ts';
import { AppError, type ErrorCode } from '../../../shared/errors.ts';
import { failedLine, type LineResult } from './line-result.ts';
import type { Task } from './run-line.ts';
import type { Ran } from './run-lines.ts';
import { isFresh, type Tasks } from './tasks-of.ts';

/** Where the next turn begins, and what ended in this one. */
export function workIn(
  chunk: Chunk,
  { after }: Tasks,
  { results, retried, left }: Ran,
): Omit<CommittedWork, 'part' | 'held' | 'tally'> {
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
    verdicts: addedUp(results.map(verdictOf)),
    failed: failed.length - invalid,
    invalid,
  };
}

function verdictOf({ head }: LineResult): VerdictCounts {
  const { data } = VerdictKind.safeParse(head['verdict']);
  return data && head.status === 'completed' ? { [data]: 1 } : {};
}

/** The first line cannot be run: the others continue without it. */
export function failFirst([first, ...left]: readonly Task[], code: ErrorCode, now: Date): Ran {
  const attempts = code === 'attempts_exhausted' ? MAX_ATTEMPTS : (first?.attempts ?? 0);
  const results = first ? [failedLine({ ...first, attempts }, new AppError(code), now)] : [];
  return { results, retried: [], left, tally: NO_SCRAPES, isThrottled: false };
}

/** Seconds until another turn makes sense: a browser or the host may be free, or a retry is due. */
export function waitSecondsAfter(chunk: Chunk, ran: Ran, now: Date, hostFreeAt = now): number {
  const seconds = waitSeconds(chunk, ran, now);
  const ofHost = Math.ceil((hostFreeAt.getTime() - now.getTime()) / 1_000);
  return linesLeft(chunk) > 0 ? Math.max(seconds, ofHost) : seconds;
}

function waitSeconds(chunk: Chunk, { isThrottled }: Ran, now: Date): number {
  if (isThrottled) return slotWaitSeconds(Math.random());
  const hasFresh = chunk.next.at < chunk.at + chunk.bytes;
  if (hasFresh || chunk.retries.length === 0) return 0;
  const due = Math.min(...chunk.retries.map((retry) => Number(retry.due ?? now)));
  return Math.max(0, Math.ceil((due - now.getTime()) / 1_000));
}
