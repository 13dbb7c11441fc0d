import type { Organization } from '../../contract/accounts/account.ts';
import type { OpenJob } from '../../contract/jobs/job.ts';
import { withoutOwner } from '../../domain/jobs/state.ts';
import type { Effects } from '../../ports/effects.ts';
import { freeSlot } from './finish-job.ts';

/**
 * Takes a job from an owner whose lease is over, or who never began it, and frees its slot. The owner
 * notices, if it is alive. Undefined, without any change, if another process was first.
 */
export async function reclaimJob(
  fx: Pick<Effects, 'organizations' | 'usage' | 'jobs' | 'now'>,
  organization: Organization,
  job: OpenJob,
): Promise<OpenJob | undefined> {
  const released = withoutOwner(job, fx.now());
  if (!(await fx.jobs.replace(job, released))) return undefined;
  if (job.slot !== undefined) await freeSlot(fx, organization, job, job.slot);
  return released;
}
