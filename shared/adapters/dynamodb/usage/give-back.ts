import type { Organization, Usage } from '../../../contract/accounts/account.ts';
import { epochSeconds } from '../../../contract/time.ts';
import { currentUsage } from '../../../domain/accounts/credits/admission.ts';
import { isOfMonth } from '../../../domain/accounts/credits/given-back.ts';
import { limitsOf } from '../../../domain/accounts/credits/plan.ts';
import { dayOf, type Tally } from '../../../domain/accounts/credits/usage-days.ts';
import { expiryAfter } from '../../../domain/work/retention.ts';
import { busy } from '../../../errors.ts';
import type { Write } from '../table.ts';
import { counting, turn } from './usage-days.ts';
import type { UsageItem } from './usage-item.ts';

/** Attempts under contention before the service reports `busy`. */
const MAX_ROUNDS = 20;

type Refund = { id: string; turn: number; ended: Tally };

/** Takes back what was charged, in one transaction with a note of the turn: a second one changes nothing. */
export async function giveBackCredits(
  item: UsageItem,
  organization: Organization,
  refund: Refund,
  now: Date,
): Promise<Usage> {
  const { id } = organization;
  const limits = limitsOf(organization);
  const forgetAt = epochSeconds.encode(expiryAfter(now));
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const stored = await item.read(id);
    if (stored === undefined || stored.credits.day < dayOf(now)) {
      await item.write(id, turn(stored, limits, dayOf(now)));
      continue;
    }
    if (!isOfMonth(stored, refund.ended)) return stored;
    const done = await item.writeTurn(id, givenBack(stored, refund.ended), { ...refund, forgetAt });
    if (done !== 'no update') return currentUsage(await item.read(id), limits, now);
  }
  throw busy();
}

function givenBack({ credits: { period, day } }: Usage, ended: Tally): Write {
  const back = -ended.charged;
  const write: Write = {
    condition: ['#period = :period', '#day = :day', 'used >= :back'],
    set: ['available = available + :back', 'used = used - :back'],
    values: { ':period': period, ':day': day, ':back': back },
  };
  return counting(write, { day, ended });
}
