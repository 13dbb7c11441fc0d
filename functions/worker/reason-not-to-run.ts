import type { Organization } from '../../shared/contract/accounts/account.ts';
import type { OpenJob } from '../../shared/contract/jobs/job.ts';
import { maySendNoMore } from '../../shared/domain/jobs/attempt.ts';
import { endOfTime } from '../../shared/domain/jobs/timing.ts';
import type { ErrorCode } from '../../shared/errors.ts';
import type { Effects } from '../../shared/ports/effects.ts';
import { MAX_ATTEMPTS } from '../../shared/domain/work/attempts.ts';

/** The reason the accepted requests of a key may no longer run. */
export async function reasonNotToRun(
  fx: Pick<Effects, 'keys'>,
  organization: Organization | undefined,
  keyId: string,
): Promise<ErrorCode | undefined> {
  if (organization === undefined) return 'unauthorized';
  if (organization.status === 'suspended') return 'organization_suspended';
  const key = await fx.keys.find(keyId);
  return key?.status === 'active' ? undefined : 'unauthorized';
}

/** The reason an accepted job may no longer run. */
export async function reasonNotToRunJob(
  fx: Pick<Effects, 'keys' | 'now'>,
  job: OpenJob,
  organization: Organization | undefined,
): Promise<ErrorCode | undefined> {
  if (maySendNoMore(job)) return 'maybe_sent';
  if (endOfTime(job) <= fx.now()) return 'deadline_exceeded';
  if (job.attempt >= MAX_ATTEMPTS) return 'attempts_exhausted';
  return reasonNotToRun(fx, organization, job.keyId);
}
