import type { Organization, Slot, Usage } from '../../../contract/accounts/account.ts';
import { currentUsage } from '../../../domain/accounts/credits/admission.ts';
import { limitsOf } from '../../../domain/accounts/credits/plan.ts';
import { countedDay, dayOf, monthOf, type Tally } from '../../../domain/accounts/credits/usage-days.ts';
import { busy } from '../../../errors.ts';
import type { Settlement } from '../../../ports/usage.ts';
import { uncapped } from './cap-writes.ts';
import { keepFinishedDays } from './keep-days.ts';
import type { UsageItem } from './usage-item.ts';
import type { UsageWrite } from './usage-write.ts';
import { release, settlement } from './usage-writes.ts';

/** Attempts under contention before the service reports `busy`. */
export const MAX_ROUNDS = 20;

/** Usually one conditional update, which assumes a slot of this month with the credits it was given. */
export async function settleUsage(
  item: UsageItem,
  organization: Organization,
  { slotId, held, ended }: Settlement,
  now: Date,
): Promise<Usage> {
  const { id } = organization;
  const day = countingDay(item.lastSeen(id), now);
  const charged = ended?.charged ?? 0;
  const counted = ended && { day, ended };
  const written = await item.write(
    id,
    uncapped(
      settlement(slotId, monthOf(day), held, charged, counted),
      item.lastSeen(id)?.capped?.[slotId],
      held - charged,
    ),
  );
  if (written === undefined) return settleSeen(item, organization, { slotId, ended }, now);
  if (charged > 0) item.watch?.charged(charged);
  await keepFinishedDays(item, id, written);
  return written;
}

/** Another clock may have begun a new day before this one. */
export function countingDay(seen: Usage | undefined, now: Date): string {
  const today = dayOf(now);
  return seen?.day !== undefined && seen.day > today ? seen.day : today;
}

/** Re-reads the item: the day or month changed, or the slot is already settled. */
async function settleSeen(
  item: UsageItem,
  organization: Organization,
  { slotId, ended }: Omit<Settlement, 'held'>,
  now: Date,
): Promise<Usage> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const stored = await item.read(organization.id);
    const slot = stored?.slots[slotId];
    if (stored === undefined || slot === undefined) return currentUsage(stored, limitsOf(organization), now);
    const written = await item.write(organization.id, closing(stored, slotId, slot, ended));
    const charged = ended?.charged ?? 0;
    if (written && charged > 0 && slot.period === stored.period) item.watch?.charged(charged);
    if (written) await keepFinishedDays(item, organization.id, written);
    if (written) return written;
  }
  throw busy();
}

/** Credits held in an earlier month are neither returned to this one nor counted as used in it. */
export function closing(stored: Usage, id: string, slot: Slot, ended?: Tally): UsageWrite {
  const day = countedDay(stored, slot.period);
  const counted = day !== undefined && ended ? { day, ended } : undefined;
  const charged = ended?.charged ?? 0;
  return slot.period === stored.period
    ? uncapped(
        settlement(id, stored.period, slot.credits, charged, counted),
        stored.capped?.[id],
        slot.credits - charged,
      )
    : release(id, slot.period, stored.period, counted);
}
