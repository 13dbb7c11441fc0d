import type { Organization, Usage } from '../../../contract/accounts/account.ts';
import { currentUsage } from '../../../domain/accounts/credits/admission.ts';
import { limitsOf } from '../../../domain/accounts/credits/plan.ts';
import { dayOf, monthOf, type Tally } from '../../../domain/accounts/credits/usage-days.ts';
import type { Settlement } from '../../../ports/usage.ts';
import { closing, onDay, settlement, uncapped } from './settlement-write.ts';
import { counting, keepFinishedDays, turn } from './usage-days.ts';
import { type UsageItem, writeOrReread } from './usage-item.ts';

/** Another clock may have begun a new day before this one. */
export function countingDay(seen: Usage | undefined, now: Date): string {
  const today = dayOf(now);
  return seen && seen.credits.day > today ? seen.credits.day : today;
}

/** Counts scrapes without a slot in the day that has begun. */
export async function countUsage(
  item: UsageItem,
  organization: Organization,
  ended: Tally,
  now: Date,
): Promise<Usage> {
  const { id } = organization;
  const write = (day: string) => onDay(counting({}, { day, ended }), day);
  const guess = write(countingDay(item.lastSeen(id), now));
  return writeOrReread<never>(item, id, guess, async (stored) => {
    const today = dayOf(now);
    if (stored && stored.credits.day >= today) return { write: write(stored.credits.day) };
    await item.write(id, turn(stored, limitsOf(organization), today));
    return { write: write(today) };
  });
}

/** Usually one conditional update, which assumes a slot of this month with the credits it was given. */
export async function settleUsage(
  item: UsageItem,
  organization: Organization,
  { slotId, held, ended }: Settlement,
  now: Date,
): Promise<Usage> {
  const { id } = organization;
  const seen = item.lastSeen(id);
  const day = countingDay(seen, now);
  const charged = ended?.charged ?? 0;
  const closed = settlement(slotId, monthOf(day), held, charged, ended && { day, ended });
  /** The charge to this month; none if the slot was settled before. */
  const done: { charge?: number | undefined } = { charge: charged };
  const usage = await writeOrReread(
    item,
    id,
    uncapped(closed, seen?.limits.caps?.keyOf[slotId], held - charged),
    // The day or month has changed, or the slot is already settled.
    (stored) => {
      const slot = stored?.slots.inUse[slotId];
      done.charge = slot && (slot.period === stored.credits.period ? charged : 0);
      return Promise.resolve(
        stored && slot
          ? { write: closing(stored, slotId, slot, ended) }
          : { end: currentUsage(stored, limitsOf(organization), now) },
      );
    },
  );
  if (done.charge === undefined) return usage;
  if (done.charge > 0) item.watch?.charged(done.charge);
  await keepFinishedDays(item, id, usage);
  return usage;
}
