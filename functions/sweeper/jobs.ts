import type { Job } from '../../shared/contract/jobs/job.ts';
import { maySendNoMore } from '../../shared/domain/jobs/attempt.ts';
import { fail, isFinished } from '../../shared/domain/jobs/state.ts';
import { claimableAt, deferred, endOfTime } from '../../shared/domain/jobs/timing.ts';
import { AppError, type ErrorCode } from '../../shared/errors.ts';
import { finishJob, type FinishNeeds, settleJob } from '../../shared/use-cases/jobs/finish-job.ts';
import type { Log } from '../../shared/observe/log.ts';
import { openRequestLog } from '../../shared/observe/request-log.ts';
import type { Effects } from '../../shared/ports/effects.ts';
import type { Due } from './sweep-due.ts';

export type Needs = FinishNeeds &
  Pick<Effects, 'waitList' | 'batches' | 'chunks' | 'crawls' | 'queue'> & { log: Log };

type Listed = { id: string; job?: Job };
type Steps = Partial<Record<'failed' | 'resent' | 'settled' | 'owned', number>>;

/** Jobs past their `dueAt`: failed, settled or sent again, unless a worker owns them. */
export function dueJobs(fx: Needs): Due<Listed, keyof Steps> {
  return {
    name: 'jobs',
    list: async (limit) => {
      const { jobs, unreadable } = await fx.jobs.due(fx.now(), limit);
      return [...jobs.map((job) => ({ id: job.id, job })), ...unreadable.map((id) => ({ id }))];
    },
    idOf: ({ id }) => id,
    moveOn: async ({ id, job }) => {
      if (job === undefined) throw new Error(`Job ${id} cannot be read.`);
      return moveOn(fx, job);
    },
    concurrency: 100,
  };
}

async function moveOn(fx: Needs, job: Job): Promise<Steps> {
  if (isFinished(job)) {
    await settleJob(fx, job);
    return { settled: 1 };
  }
  if (claimableAt(job) > fx.now()) return { owned: 1 };
  if (endOfTime(job) <= fx.now()) {
    await failJob(fx, job, 'deadline_exceeded');
    return { failed: 1 };
  }
  await fx.queue.send(job);
  await fx.jobs.replace(job, deferred(job, fx.now()));
  return { resent: 1 };
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
