import type { Log } from '../../shared/observe/log.ts';
import { openRequestLog } from '../../shared/observe/request-log.ts';
import { runJob } from './run-job.ts';
import type { JobOutcome } from './job-outcome.ts';

type Needs = Parameters<typeof runJob>[0];

/** The signal aborts before Lambda's timeout, so that jobs in progress are released in order. */
type Invocation = Omit<Parameters<typeof runJob>[2], 'requestLog'> & { log: Log };

const FAULT_DELAY_SECONDS = 10;

/** Runs a job and logs its line. An unexpected error is logged, and the job tried again. */
export async function runLogged(
  fx: Needs,
  known: Parameters<typeof runJob>[1],
  { log, ...context }: Invocation,
  messageId?: string,
): Promise<JobOutcome> {
  const jobId = typeof known === 'string' ? known : known.job.id;
  const requestLog = openRequestLog({ messageId, jobId });
  const verdict = await runJob(fx, known, { requestLog, ...context }).catch((error: unknown): JobOutcome => {
    requestLog.fail(error);
    return { outcome: 'again', afterSeconds: FAULT_DELAY_SECONDS };
  });
  if ('afterSeconds' in verdict) requestLog.note({ retryAfter: verdict.afterSeconds });
  requestLog.write(log, 'job');
  return verdict;
}
