import type { Limits, Usage } from '../../../contract/accounts/account.ts';
import { admit, type SlotRequest, withoutSlot } from './admission.ts';
import { hasSlot } from './slots.ts';
import { dayOf, monthOf, type Tally } from './usage-days.ts';

/** A slot whose scrapes have ended, and the job that takes it next. */
export type HandOver = {
  settled: { slotId: string; held: number; ended: Tally };
  next: SlotRequest;
};

/**
 * Usage with one slot settled and another taken for a job. Undefined if that is more than one step: a day
 * that begins, an organization that is not listed, a slot that is not as expected, caps of two keys, or any
 * refusal.
 */
export function handOver(
  stored: Usage,
  limits: Limits,
  { settled: { slotId, held, ended }, next }: HandOver,
  now: Date,
): Usage | undefined {
  const { day = '', period, slots, capped = {} } = stored;
  const isToday = day >= dayOf(now) && period === monthOf(day);
  const slot = slots[slotId];
  const isExpected = slot?.credits === held && slot.period === period && !hasSlot(stored, next.slot.id);
  if (!stored.isListed || !isToday || !isExpected || capped[slotId] !== next.key?.id) return undefined;
  const admission = admit(withoutSlot(stored, slotId, ended), limits, next, now);
  return admission.outcome === 'admitted' ? admission.usage : undefined;
}
