import type { Job } from '../../shared/contract/jobs/job.ts';
import { maySendNoMore } from '../../shared/domain/jobs/attempt.ts';
import { fail, isFinished } from '../../shared/domain/jobs/state.ts';
import { claimableAt, deferred, endOfTime } from '../../shared/domain/jobs/timing.ts';
import { AppError, type ErrorCode } from '../../shared/errors.ts';
import { finishJob, type FinishNeeds, settleJob } from '../../shared/use-cases/jobs/finish-job.ts';
import type { Log } from '../../shared/observe/log.ts';
import { described } from '../../shared/observe/redacted.ts';
import { openRequestLog } from '../../shared/observe/request-log.ts';
import type { Effects } from '../../shared/ports/effects.ts';

export type Needs = FinishNeeds & Pick<Effects, 'chunks' | 'queue'> & { log: Log };

type Swept = Record<'failed' | 'resent' | 'settled' | 'owned', number>;

const PAGE = 100;

/**
 * Fails, settles or resends every job that is due, unless a worker owns it. Safe beside workers and other
 * sweeps. A job that fails delays no other; the sweep throws at its end.
 */
export async function sweep(fx: Needs, signal: AbortSignal): Promise<Swept> {
  const swept: Swept = { failed: 0, resent: 0, settled: 0, owned: 0 };
  const seen = new Set<string>();
  const faults: unknown[] = [];
  while (!signal.aborted) {
    // The index is eventually consistent and still lists jobs that were just handled.
    const due = await fx.jobs.due(fx.now(), PAGE + seen.size);
    const fresh = due.jobs.filter(({ id }) => !seen.has(id)).slice(0, PAGE);
    const unreadable = due.unreadable.filter((id) => !seen.has(id));
    if (fresh.length + unreadable.length === 0) break;
    for (const id of unreadable) faults.push(new Error(`Job ${id} cannot be read.`));
    const steps = await Promise.allSettled(fresh.map((job) => moveOn(fx, job)));
    for (const step of steps) {
      if (step.status === 'fulfilled') swept[step.value] += 1;
      else faults.push(step.reason);
    }
    for (const id of [...unreadable, ...fresh.map((job) => job.id)]) seen.add(id);
  }
  if (faults.length === 0) {
    fx.log.info('sweep', swept);
    return swept;
  }
  const fault = new AggregateError(faults, `${faults.length} jobs could not be moved on`);
  fx.log.error('sweep', { ...swept, fault: described(fault) });
  throw fault;
}

async function moveOn(fx: Needs, job: Job): Promise<keyof Swept> {
  if (isFinished(job)) {
    await settleJob(fx, job);
    return 'settled';
  }
  if (claimableAt(job) > fx.now()) return 'owned';
  if (endOfTime(job) <= fx.now()) {
    await failJob(fx, job, 'deadline_exceeded');
    return 'failed';
  }
  await fx.queue.send(job);
  await fx.jobs.replace(job, deferred(job, fx.now()));
  return 'resent';
}

/** Fails an unfinished job, unless another process has changed it. `maybe_sent` goes before the code. */
export async function failJob(
  fx: Omit<Needs, 'queue'>,
  job: Exclude<Job, { status: 'completed' | 'failed' }>,
  code: ErrorCode,
): Promise<void> {
  const { id: jobId, orgId, requestId, attempt, request } = job;
  const requestLog = openRequestLog({ requestId, orgId, jobId, attempt, url: request.url });
  const error = new AppError(maySendNoMore(job) ? 'maybe_sent' : code);
  requestLog.fail(error);
  requestLog.enter('settle');
  const failed = fail(job, error, fx.now());
  if ((await finishJob(fx, job, failed)) === 'lost') return;
  requestLog.note({ status: failed.status, credits: 0 });
  requestLog.write(fx.log, 'job');
}
