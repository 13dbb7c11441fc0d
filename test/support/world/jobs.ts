import { v7 } from 'uuid';
import type { Organization } from '../../../shared/contract/accounts/account.ts';
import type { PendingJob } from '../../../shared/contract/jobs/job.ts';
import { type Tally, tallyOf } from '../../../shared/domain/accounts/credits/usage-days.ts';
import { acceptJob } from '../../../shared/domain/jobs/state.ts';

export const NOON = new Date('2026-11-21T12:00:00Z');

/** A stored organization with these overrides. */
export const storedOrganization = (
  overrides: Organization['overrides'] = {},
  rest: Partial<Organization> = {},
): Organization => ({
  ...{ id: `org_${v7()}`, name: 'Test', plan: 'free', status: 'active', overrides, createdAt: NOON },
  ...rest,
});

/** A job as a submit would have accepted it at noon. */
export function pendingJob(rest: Partial<PendingJob> = {}): PendingJob {
  const request = { url: 'https://example.com/', renderJs: false, premiumProxy: false, timeout: 10_000 };
  return {
    ...acceptJob(
      { id: v7({ msecs: NOON.getTime() }), orgId: 'org_1', keyId: 'key_1', requestId: 'request_1', request },
      NOON,
    ),
    ...rest,
  };
}

/** A plain scrape that delivered a page. */
export const ended = (charged: number): Tally => tallyOf({ kind: 'plain', reason: 'page', charged });
