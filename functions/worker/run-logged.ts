import type { Log } from '../../shared/observe/log.ts';
import { openTrail } from '../../shared/observe/trail.ts';
import { runJob } from './run-job.ts';
import type { Verdict } from './verdict.ts';

type Needs = Parameters<typeof runJob>[0];

type Invocation = {
  log: Log;
  /** Aborts before Lambda's timeout, so that jobs in progress are released in order. */
  signal: AbortSignal;
};

const FAULT_DELAY_SECONDS = 10;

/** Runs a job and logs its line. An unexpected error is logged, and the job looked at again. */
export async function runLogged(
  fx: Needs,
  jobId: string,
  { log, signal }: Invocation,
  messageId?: string,
): Promise<Verdict> {
  const trail = openTrail({ messageId, jobId });
  const verdict = await runJob(fx, jobId, { trail, signal }).catch((error: unknown): Verdict => {
    trail.fail(error);
    return { outcome: 'again', afterSeconds: FAULT_DELAY_SECONDS };
  });
  if ('afterSeconds' in verdict) trail.note({ retryAfter: verdict.afterSeconds });
  trail.write(log, 'job');
  return verdict;
}
