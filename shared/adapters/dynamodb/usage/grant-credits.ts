import type { Organization, Usage } from '../../../contract/accounts/account.ts';
import { periodOf } from '../../../domain/accounts/credits/admission.ts';
import { limitsOf } from '../../../domain/accounts/credits/plan.ts';
import { dayOf } from '../../../domain/accounts/credits/usage-days.ts';
import { busy } from '../../../errors.ts';
import type { Grant } from '../../../ports/usage.ts';
import { turn } from './day-writes.ts';
import { MAX_ROUNDS } from './settle-usage.ts';
import type { UsageItem } from './usage-item.ts';
import type { UsageWrite } from './usage-write.ts';

/** Adds credits in one conditional update, after renewing the month if necessary. */
export async function grantCredits(
  item: UsageItem,
  organization: Organization,
  grant: Grant,
  now: Date,
): Promise<Usage> {
  const { id } = organization;
  let period = periodOf(now);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const written = await item.write(id, granted(grant, period));
    if (written) return written;
    const stored = await item.read(id);
    if (stored === undefined || stored.period < period) {
      await item.write(id, turn(stored, limitsOf(organization), dayOf(now)));
    } else if (stored.grants === undefined) {
      await item.write(id, roomForGrants);
    } else if (grant.id in stored.grants) {
      return stored;
    } else {
      period = stored.period;
    }
  }
  throw busy();
}

/** Credits added to a month. Remembered by id, as the SDK may send a write twice. */
function granted({ id, credits: added }: Grant, period: string): UsageWrite {
  return {
    condition: ['#period = :period', 'attribute_exists(grants)', 'attribute_not_exists(grants.#grant)'],
    set: ['available = available + :credits', 'grants.#grant = :credits'],
    values: { ':period': period, ':credits': added },
    names: { '#period': 'period', '#grant': id },
  };
}

/** Room for grants in an item of an earlier version. */
const roomForGrants: UsageWrite = {
  condition: ['attribute_exists(pk)', 'attribute_not_exists(grants)'],
  set: ['grants = :empty'],
  values: { ':empty': {} },
  names: {},
};
