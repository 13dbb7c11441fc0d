import type { Log } from '../../shared/observe/log.ts';
import { openTrail } from '../../shared/observe/trail.ts';
import { runJob } from './run-job.ts';
import type { Verdict } from './verdict.ts';

type Needs = Parameters<typeof runJob>[0];

/** The signal aborts before Lambda's timeout, so that jobs in progress are released in order. */
type Invocation = Omit<Parameters<typeof runJob>[2], 'trail'> & { log: Log };

const FAULT_DELAY_SECONDS = 10;

/** Runs a job and logs its line. An unexpected error is logged, and the job looked at again. */
export async function runLogged(
  fx: Needs,
  known: Parameters<typeof runJob>[1],
  { log, ...context }: Invocation,
  messageId?: string,
): Promise<Verdict> {
  const jobId = typeof known === 'string' ? known : known.job.id;
  const trail = openTrail({ messageId, jobId });
  const verdict = await runJob(fx, known, { trail, ...context }).catch((error: unknown): Verdict => {
    trail.fail(error);
    return { outcome: 'again', afterSeconds: FAULT_DELAY_SECONDS };
  });
  if ('afterSeconds' in verdict) trail.note({ retryAfter: verdict.afterSeconds });
  trail.write(log, 'job');
  return verdict;
}
