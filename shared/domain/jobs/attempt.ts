import type { Job, OpenJob, RunningJob } from '../../contract/jobs/job.ts';
import { isRepeatable } from '../../contract/scrape/target-request.ts';
import type { JobSlot } from '../accounts/credits/slots.ts';
import { inAnyStatus, isFinished } from './state.ts';
import { jobLeaseEnd } from './timing.ts';
import { fenced } from '../work/lease.ts';

/** Whether a job starts with its slot alone: one of a backlog, unless its request must not be sent twice. */
export function startsBySlot(job: Job): job is OpenJob {
  return !isFinished(job) && job.isWaiting === true && isRepeatable(job.request);
}

/** A job that started with its slot alone. Its item says so only once the attempt has ended. */
export function startedIn(job: OpenJob, { slotId, takenAt }: JobSlot): RunningJob {
  return attempt(job, slotId, takenAt);
}

/** The state of a job, if that slot is taken. A slot left behind by an earlier owner changes nothing. */
export function inSlot(job: Job, slot: JobSlot): Job {
  return startsBySlot(job) && slot.token === job.fencingToken ? startedIn(job, slot) : job;
}

/** An attempt starts in a slot. Its worker, `owner`, owns the job from now on. */
export function start(job: OpenJob, slot: string, owner: string, now: Date): RunningJob {
  return { ...fenced(attempt(job, slot, now)), owner };
}

function attempt(job: OpenJob, slot: string, now: Date): RunningJob {
  return {
    ...inAnyStatus(job),
    status: 'running',
    attempt: job.attempt + 1,
    startedAt: job.status === 'running' && job.attempt > 0 ? job.startedAt : now,
    leaseUntil: jobLeaseEnd(job, now),
    slot,
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
