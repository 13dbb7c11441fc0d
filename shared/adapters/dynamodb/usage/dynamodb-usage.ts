import { currentUsage } from '../../../domain/accounts/credits/admission.ts';
import { limitsOf } from '../../../domain/accounts/credits/plan.ts';
import type { AccountEffects } from '../../../ports/accounts.ts';
import type { UsageLedger } from '../../../ports/usage.ts';
import { admitUsage } from './admit-usage.ts';
import { eventNotes } from './event-notes.ts';
import { grantCredits } from './grant-credits.ts';
import { usageDays } from './keep-days.ts';
import { handOverUsage } from './hand-over-usage.ts';
import { settleUsage } from './settle-usage.ts';
import { waitingList } from './waiting-list.ts';
import { waitingNotes } from './waiting-notes.ts';
import { type UsageItem, usageItem, type UsageOptions } from './usage-item.ts';
import { readerLeft } from './usage-writes.ts';

/** Usage in the item `USAGE#<org>`: usually one conditional update per step. */
export function dynamodbUsage(options: UsageOptions): Pick<AccountEffects, 'usage' | 'waitList' | 'notes'> {
  const item = usageItem(options);
  return {
    usage: usageLedger(item),
    waitList: { ...waitingNotes(item), ...waitingList(options) },
    notes: eventNotes(item),
  };
}

const usageLedger = (item: UsageItem): UsageLedger => ({
  read: async (organization, now) =>
    currentUsage(await item.read(organization.id), limitsOf(organization), now),
  days: ({ id }, from, to) => usageDays(item, id, from, to),
  admit: (organization, request, now) => admitUsage(item, organization, request, now),
  settle: (organization, settlement, now) => settleUsage(item, organization, settlement, now),
  handOver: (organization, wanted, now) => handOverUsage(item, organization, wanted, now),
  grant: (organization, grant, now) => grantCredits(item, organization, grant, now),
  release: async ({ id }, readerId) => {
    await item.write(id, readerLeft(readerId));
  },
});
