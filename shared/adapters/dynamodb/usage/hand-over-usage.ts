import type { z } from 'zod';
import type { Limits, Organization, Slot, Usage } from '../../../contract/accounts/account.ts';
import type { SlotRequest } from '../../../domain/accounts/credits/admission.ts';
import type { HandOver } from '../../../domain/accounts/credits/hand-over.ts';
import { limitsOf } from '../../../domain/accounts/credits/plan.ts';
import { jobSlots } from '../../../domain/accounts/credits/slots.ts';
import { monthOf } from '../../../domain/accounts/credits/usage-days.ts';
import { capPassedOn } from './cap-writes.ts';
import { keepFinishedDays } from './keep-days.ts';
import { countingDay } from './settle-usage.ts';
import type { UsageItem } from './usage-item.ts';
import type { UsageWrite } from './usage-write.ts';
import { joined, settlement } from './usage-writes.ts';

/** One conditional update, which assumes a slot of this month with the credits it was given. */
export async function handOverUsage(
  item: UsageItem,
  organization: Organization,
  { settled, next }: HandOver,
  now: Date,
): Promise<Usage | undefined> {
  const { id } = organization;
  const { slotId, held, ended } = settled;
  const seen = item.lastSeen(id);
  const day = countingDay(seen, now);
  const rest = held - ended.charged;
  const cap = capPassedOn(next, seen?.capped?.[slotId], rest);
  if (cap === undefined) return undefined;
  const slots = jobSlots(limitsOf(organization), seen, now);
  const write = joined(
    settlement(slotId, monthOf(day), held, ended.charged, { day, ended }),
    takeover(next, monthOf(day), { slots, rest }),
    cap,
  );
  const written = await item.write(id, write);
  if (written === undefined) return undefined;
  if (ended.charged > 0) item.watch?.charged(ended.charged);
  await keepFinishedDays(item, id, written);
  return written;
}

type Left = { slots: Limits['concurrency']; rest: number };

/** Takes a slot in the write that settles another one: what that returns pays for this one. */
function takeover({ credits, slot }: SlotRequest, period: string, { slots, rest }: Left): UsageWrite {
  return {
    condition: [
      'is_listed = :true',
      'attribute_not_exists(slots.#next)',
      'size(slots) <= :slots',
      'available >= :missing',
    ],
    set: ['slots.#next = :next'],
    values: {
      ':true': true,
      ':slots': slots,
      ':missing': credits - rest,
      ':next': [credits, slot.until.getTime(), period] satisfies z.input<typeof Slot>,
      ':rest': rest - credits,
    },
    names: { '#next': slot.id },
  };
}
