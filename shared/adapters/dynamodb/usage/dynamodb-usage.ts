import type { Organization, Usage } from '../../../contract/accounts/account.ts';
import { currentUsage } from '../../../domain/accounts/credits/admission.ts';
import { limitsOf } from '../../../domain/accounts/credits/plan.ts';
import { dayOf, periodOf } from '../../../domain/accounts/credits/usage-days.ts';
import type { AccountEffects } from '../../../ports/accounts.ts';
import type { Grant } from '../../../ports/usage.ts';
import type { Write } from '../table.ts';
import { admitUsage } from './admit-usage.ts';
import { giveBackCredits } from './give-back.ts';
import { dynamodbNotes } from './dynamodb-notes.ts';
import { dynamodbWaitList, waitListItem } from './dynamodb-wait-list.ts';
import { countUsage, settleUsage } from './settle-usage.ts';
import { readerLeft } from './settlement-write.ts';
import { turn, usageDays } from './usage-days.ts';
import { type UsageItem, usageItem, type UsageOptions, writeOrReread } from './usage-item.ts';

/** The ports on the item `USAGE#<org>`: usually one conditional update per step. */
export function dynamodbUsage(options: UsageOptions): Pick<AccountEffects, 'usage' | 'waitList' | 'notes'> {
  const item = usageItem(options);
  const list = waitListItem(options);
  return {
    usage: {
      read: async (organization, now) =>
        currentUsage(await item.read(organization.id), limitsOf(organization), now),
      days: ({ id }, from, to) => usageDays(item, id, from, to),
      admit: (organization, request, now) => admitUsage({ item, list }, organization, request, now),
      settle: (organization, settlement, now) => settleUsage(item, organization, settlement, now),
      count: (organization, ended, now) => countUsage(item, organization, ended, now),
      giveBack: (organization, refund, now) => giveBackCredits(item, organization, refund, now),
      grant: (organization, grant, now) => grantCredits(item, organization, grant, now),
      release: async ({ id }, readerId) => void (await item.write(id, readerLeft(readerId))),
    },
    waitList: dynamodbWaitList(item, list),
    notes: dynamodbNotes(item),
  };
}

/** Adds credits in one conditional update, after renewing the month if necessary. */
async function grantCredits(
  item: UsageItem,
  organization: Organization,
  grant: Grant,
  now: Date,
): Promise<Usage> {
  const { id } = organization;
  const today = periodOf(now);
  return writeOrReread(item, id, granted(grant, today), async (stored) => {
    if (stored === undefined || stored.credits.day < today) {
      await item.write(id, turn(stored, limitsOf(organization), dayOf(now)));
      return { write: granted(grant, today) };
    }
    if (grant.id in stored.credits.grants) return { end: stored };
    return { write: granted(grant, stored.credits.period) };
  });
}

/** Credits added to a month. Remembered by id, as the SDK may send a write twice. */
const granted = ({ id, credits: added }: Grant, period: string): Write => ({
  condition: ['#period = :period', 'attribute_exists(grants)', 'attribute_not_exists(grants.#grant)'],
  set: ['available = available + :credits', 'grants.#grant = :credits'],
  values: { ':period': period, ':credits': added },
  names: { '#grant': id },
});
