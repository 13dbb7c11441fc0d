import type { FinishedJob } from '../../shared/contract/job.ts';
import { creditsUsed, endOf } from '../../shared/domain/job/state.ts';
import { AppError } from '../../shared/errors.ts';
import type { AuthenticatedCall } from '../../shared/http/call.ts';
import { CREDITS_REASON } from '../../shared/http/problem.ts';
import type { Reply } from '../../shared/http/reply.ts';
import { getResult } from './get-result.ts';
import { secondsToWait, waitForJob } from './wait-for-job.ts';

type Needs = Parameters<typeof waitForJob>[0] & Parameters<typeof getResult>[0];

/**
 * The result of a submitted job, for a caller that prefers to wait for it. Undefined if the caller does not,
 * or if the job takes longer. Throws what the result route throws.
 */
export async function resultOnSubmit(
  fx: Needs,
  id: string,
  call: AuthenticatedCall,
): Promise<Reply | undefined> {
  const seconds = secondsToWait(call);
  if (seconds === undefined) return undefined;
  call.trail.enter('wait');
  const job = await waitForJob(fx, id, { seconds, endsAt: call.endsAt });
  if (job === undefined) return undefined;
  call.meter.report(creditsUsed(job));
  const about = aboutJob(job, call);
  const applied = `wait=${seconds}`;
  const result = await getResult(fx, job, call).catch((error: unknown) => {
    throw error instanceof AppError ? error.with({ ...about, [APPLIED]: applied }) : error;
  });
  const all = [result.headers[APPLIED], applied].filter((each) => each !== undefined).join(', ');
  return { ...result, headers: { ...result.headers, ...about, [APPLIED]: all } };
}

const APPLIED = 'Preference-Applied';

function aboutJob(job: FinishedJob, { sentPath }: AuthenticatedCall) {
  return {
    'Content-Location': `${sentPath}/${job.id}/result`,
    'X-Job-Id': job.id,
    [CREDITS_REASON]: endOf(job).reason,
  };
}
