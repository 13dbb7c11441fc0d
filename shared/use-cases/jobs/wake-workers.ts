import type { Organization, Usage } from '../../contract/accounts/account.ts';
import { limitsOf } from '../../domain/accounts/credits/plan.ts';
import { freeJobSlots } from '../../domain/accounts/credits/slots.ts';
import type { Effects } from '../../ports/effects.ts';

/** SQS's maximum. The sweeper wakes what waits for longer. */
export const MAX_WAKE_SECONDS = 900;

type Needs = Pick<Effects, 'queue' | 'now'>;

/** Has a worker look at an organization's backlog for each free slot, up to `most`. Returns how many. */
export async function wakeWorkers(
  { queue, now }: Needs,
  organization: Organization,
  usage: Usage,
  most: number,
): Promise<number> {
  const wakes = Math.min(most, freeJobSlots(usage, limitsOf(organization), now()));
  await Promise.all(Array.from({ length: wakes }, async () => queue.wake(organization.id)));
  return wakes;
}
