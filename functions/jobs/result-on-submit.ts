import type { FinishedJob } from '../../shared/contract/jobs/job.ts';
import { creditsUsed, endOf } from '../../shared/domain/jobs/state.ts';
import { AppError, type ErrorCode } from '../../shared/errors.ts';
import type { AuthenticatedCall } from '../../shared/http/call.ts';
import { replayedHeader } from '../../shared/http/idempotency.ts';
import { CREDITS_REASON } from '../../shared/http/problem.ts';
import { takePlaceToWait } from '../../shared/http/reader-place.ts';
import type { Reply } from '../../shared/http/reply.ts';
import { getResult, type ResultNeeds } from './get-result.ts';
import type { Submitted } from './submit-job.ts';
import { secondsToWait, waitForJob, type WaitNeeds } from './wait-for-job.ts';

type Needs = WaitNeeds & ResultNeeds;

/**
 * The result of a submitted job, for a caller that prefers to wait for it. Undefined if the caller does not,
 * if too many of its organization's calls wait already, if the job takes longer, or if the result cannot be
 * sent now: an error would have the caller submit again.
 * Throws the failed job's own error, `precondition_failed` and `range_not_satisfiable`.
 */
export async function resultOnSubmit(
  fx: Needs,
  accepted: Submitted,
  call: AuthenticatedCall,
): Promise<Reply | undefined> {
  const seconds = secondsToWait(call);
  if (seconds === undefined) return undefined;
  call.requestLog.enter('wait');
  const takePlace = () => takePlaceToWait(call);
  const job = await waitForJob(fx, accepted.job.id, { seconds, endsAt: call.endsAt, takePlace });
  if (job === undefined) return undefined;
  const about = aboutJob(job, call);
  const applied = `wait=${seconds}`;
  const result = await getResult(fx, job, {}, call).catch((error: unknown) => {
    if (!isAboutResult(error)) {
      call.requestLog.fail(error);
      return undefined;
    }
    call.meter.report(creditsUsed(job));
    throw error.with({ ...about, ...replayedHeader(accepted), [APPLIED]: applied });
  });
  if (!result) return undefined;
  call.meter.report(creditsUsed(job));
  const all = [result.headers[APPLIED], applied].filter((each) => each !== undefined).join(', ');
  return { ...result, headers: { ...result.headers, ...about, [APPLIED]: all } };
}

const APPLIED = 'Preference-Applied';

function isAboutResult(error: unknown): error is AppError {
  const codes: ErrorCode[] = ['precondition_failed', 'range_not_satisfiable'];
  return error instanceof AppError && (error.isOfJob || codes.includes(error.code));
}

function aboutJob(job: FinishedJob, { sentPath }: AuthenticatedCall) {
  return {
    'Content-Location': `${sentPath}/${job.id}/result`,
    'X-Job-Id': job.id,
    [CREDITS_REASON]: endOf(job).reason,
  };
}
