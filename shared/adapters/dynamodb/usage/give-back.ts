import type { Organization, Usage } from '../../../contract/accounts/account.ts';
import { currentUsage } from '../../../domain/accounts/credits/admission.ts';
import { forgottenRefunds, isOpen, refundName } from '../../../domain/accounts/credits/given-back.ts';
import { limitsOf } from '../../../domain/accounts/credits/plan.ts';
import { dayOf } from '../../../domain/accounts/credits/usage-days.ts';
import type { Refund } from '../../../ports/usage.ts';
import type { Write } from '../table.ts';
import { countingDay } from './settle-usage.ts';
import { counting, turn } from './usage-days.ts';
import { type UsageItem, writeOrReread } from './usage-item.ts';

/** Gives credits back in one conditional update, which notes the turn. */
export async function giveBackCredits(
  item: UsageItem,
  organization: Organization,
  refund: Refund,
  now: Date,
): Promise<Usage> {
  const { id } = organization;
  const limits = limitsOf(organization);
  const seen = item.lastSeen(id);
  const write = (usage: Usage | undefined, day: string) =>
    givenBack(refund, { day, now, forgotten: forgottenRefunds(usage, refund, now) });
  const guess = write(seen, countingDay(seen, now));
  const usage = await writeOrReread(item, id, guess, async (stored) => {
    if (stored === undefined || stored.credits.day < dayOf(now)) {
      await item.write(id, turn(stored, limits, dayOf(now)));
      return { write: guess };
    }
    if (!isOpen(stored, refund)) return { end: stored };
    if (stored.credits.refunds === undefined) await item.write(id, FIRST);
    return { write: write(stored, stored.credits.day) };
  });
  return currentUsage(usage, limits, now);
}

const FIRST: Write = {
  condition: ['attribute_not_exists(refunds)'],
  set: ['refunds = :empty'],
  values: { ':empty': {} },
};

type Noted = { day: string; now: Date; forgotten: readonly string[] };

function givenBack(refund: Refund, { day, now, forgotten }: Noted): Write {
  const { turn: number, period, ended } = refund;
  const write: Write = {
    condition: [
      '#period = :period',
      '#day = :day',
      'used >= :back',
      'attribute_exists(refunds)',
      '(attribute_not_exists(refunds.#refund) OR refunds.#refund[0] < :number)',
    ],
    set: ['available = available + :back', 'used = used - :back', 'refunds.#refund = :turn'],
    remove: forgotten.map((_, n) => `refunds.#old${n}`),
    values: {
      ...{ ':period': period, ':day': day, ':back': -ended.charged },
      ...{ ':number': number, ':turn': [number, now.getTime()] },
    },
    names: {
      '#refund': refundName(refund),
      ...Object.fromEntries(forgotten.map((name, n) => [`#old${n}`, name])),
    },
  };
  return counting(write, { day, ended });
}
