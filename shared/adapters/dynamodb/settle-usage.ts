import type { Organization, Slot, Usage } from '../../contract/account.ts';
import { currentUsage, periodOf } from '../../domain/credits/admission.ts';
import { limitsOf } from '../../domain/credits/plan.ts';
import { busy } from '../../errors.ts';
import type { Settlement } from '../../ports.ts';
import type { UsageItem } from './usage-item.ts';
import { release, settlement, type UsageWrite } from './usage-writes.ts';

/** Attempts under contention before the service reports `busy`. */
export const MAX_ROUNDS = 20;

/** Usually one conditional update, which assumes a slot of this month with the credits it was given. */
export async function settleUsage(
  item: UsageItem,
  organization: Organization,
  { slotId, held, charged }: Settlement,
  now: Date,
): Promise<Usage> {
  const written = await item.write(organization.id, settlement(slotId, periodOf(now), held, charged));
  if (written && charged > 0) item.watch?.charged(charged);
  return written ?? settleSeen(item, organization, { slotId, charged }, now);
}

/** Re-reads the item: the month changed, or the slot is already settled. */
async function settleSeen(
  item: UsageItem,
  organization: Organization,
  { slotId, charged }: Omit<Settlement, 'held'>,
  now: Date,
): Promise<Usage> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const stored = await item.read(organization.id);
    const slot = stored?.slots[slotId];
    if (stored === undefined || slot === undefined) return currentUsage(stored, limitsOf(organization), now);
    const written = await item.write(organization.id, closing(stored, slotId, slot, charged));
    if (written && charged > 0 && slot.period === stored.period) item.watch?.charged(charged);
    if (written) return written;
  }
  throw busy();
}

/** Credits held in an earlier month are neither returned to this one nor counted as used in it. */
export function closing(stored: Usage, id: string, slot: Slot, charged: number): UsageWrite {
  return slot.period === stored.period
    ? settlement(id, stored.period, slot.credits, charged)
    : release(id, slot.period, stored.period);
}
