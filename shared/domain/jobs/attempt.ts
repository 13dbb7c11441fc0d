import type { OpenJob, RunningJob } from '../../contract/jobs/job.ts';
import { isRepeatable } from '../../contract/scrape/target-request.ts';
import { inAnyStatus } from './state.ts';
import { jobLeaseEnd } from './timing.ts';
import { fenced } from '../work/lease.ts';

/** An attempt starts in a slot. Its worker, `owner`, owns the job from now on. */
export function start(job: OpenJob, slot: string, owner: string, now: Date): RunningJob {
  return {
    ...inAnyStatus(fenced(job)),
    status: 'running',
    attempt: job.attempt + 1,
    startedAt: job.status === 'running' && job.attempt > 0 ? job.startedAt : now,
    leaseUntil: jobLeaseEnd(job, now),
    slot,
    owner,
    dueAt: job.dueAt,
    lastError: job.lastError,
    ...(!isRepeatable(job.request) && { maybeSent: true as const }),
  };
}

/** True if an earlier attempt may have sent the request, which must not be sent twice. */
export function maySendNoMore(job: OpenJob): boolean {
  return job.status === 'running' && job.maybeSent === true;
}

/** Undoes the start: no browser was free, so the target received nothing. */
export function withoutAttempt(job: RunningJob): RunningJob {
  return { ...job, attempt: job.attempt - 1 };
}
