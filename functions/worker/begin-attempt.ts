import type { OpenJob, RunningJob } from '../../shared/contract/jobs/job.ts';
import { slotsByJob } from '../../shared/domain/accounts/credits/slots.ts';
import { startsBySlot, startedIn, start } from '../../shared/domain/jobs/attempt.ts';
import type { Effects } from '../../shared/ports/effects.ts';
import type { Slot } from './take-slot.ts';

type Needs = Pick<Effects, 'jobs' | 'newId' | 'now'>;

/** The job in its slot. Undefined if another process has changed it or started it since it was read. */
export async function beginAttempt(
  { jobs, newId, now }: Needs,
  before: OpenJob,
  slot: Slot,
): Promise<RunningJob | undefined> {
  if (startsBySlot(before)) return startBySlot(jobs, before, slot);
  const job = start(before, slot.id, newId(), now());
  return (await jobs.replace(before, job)) || (await hasStarted(jobs, job)) ? job : undefined;
}

/** The write may have succeeded although its response said otherwise. The job then needs its slot. */
async function hasStarted(jobs: Needs['jobs'], { id, owner }: RunningJob): Promise<boolean> {
  const stored = await jobs.find(id);
  return stored?.status === 'running' && stored.owner === owner;
}

/**
 * Nothing is written. Of two workers with a slot for the same job, only the second one sees both slots. Every
 * earlier attempt has raised the token, so one more look at the job is enough.
 */
async function startBySlot(
  jobs: Needs['jobs'],
  { id, fencingToken }: OpenJob,
  { id: slotId, usage }: Slot,
): Promise<RunningJob | undefined> {
  const slots = slotsByJob(usage)({ id, fencingToken });
  const own = slots.find((slot) => slot.slotId === slotId);
  if (own === undefined || slots.length > 1) return undefined;
  const stored = await jobs.find(id);
  const isSame = stored && startsBySlot(stored) && stored.fencingToken === fencingToken;
  return isSame ? startedIn(stored, own) : undefined;
}
