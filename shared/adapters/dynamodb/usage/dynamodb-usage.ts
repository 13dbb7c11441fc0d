import { currentUsage } from '../../../domain/accounts/credits/admission.ts';
import { limitsOf } from '../../../domain/accounts/credits/plan.ts';
import type { Accounts } from '../../../ports/accounts.ts';
import { admitUsage } from './admit-usage.ts';
import { eventNotes } from './event-notes.ts';
import { grantCredits } from './grant-credits.ts';
import { usageDays } from './keep-days.ts';
import { handOverUsage } from './hand-over-usage.ts';
import { settleUsage } from './settle-usage.ts';
import { waitingList } from './waiting-list.ts';
import { waitingNotes } from './waiting-notes.ts';
import { usageItem, type UsageOptions } from './usage-item.ts';
import { readerLeft } from './usage-writes.ts';

/** Usage in the item `USAGE#<org>`: usually one conditional update per step. */
export function dynamodbUsage(
  options: UsageOptions,
): Pick<
  Accounts,
  | 'usage'
  | 'usageDays'
  | 'admit'
  | 'settle'
  | 'handOver'
  | 'grant'
  | 'release'
  | 'noteWaiting'
  | 'noteBacklog'
  | 'clearWaiting'
  | 'unlist'
  | 'listedOrganizations'
  | 'takeOffList'
  | 'noteEvents'
  | 'markLow'
  | 'reportLow'
> {
  const item = usageItem(options);
  return {
    ...waitingNotes(item),
    ...waitingList(options),
    ...eventNotes(item),
    usage: async (organization, now) =>
      currentUsage(await item.read(organization.id), limitsOf(organization), now),
    usageDays: ({ id }, from, to) => usageDays(item, id, from, to),
    admit: (organization, request, now) => admitUsage(item, organization, request, now),
    settle: (organization, settlement, now) => settleUsage(item, organization, settlement, now),
    handOver: (organization, wanted, now) => handOverUsage(item, organization, wanted, now),
    grant: (organization, grant, now) => grantCredits(item, organization, grant, now),
    release: async ({ id }, readerId) => {
      await item.write(id, readerLeft(readerId));
    },
  };
}
