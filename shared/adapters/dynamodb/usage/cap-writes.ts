import type { AdmissionRequest, SlotRequest } from '../../../domain/accounts/credits/admission.ts';
import type { UsageWrite } from './usage-write.ts';

/** Maps for keys with a daily cap: only organizations that have such keys have them. */
export const roomForCaps: UsageWrite = {
  condition: ['attribute_exists(pk)', 'attribute_not_exists(spent)'],
  set: ['spent = :empty', 'capped = :empty'],
  values: { ':empty': {} },
  names: {},
};

/** Holds the credits of a slot against its key's cap too. */
export function capped({ key, slot, credits }: AdmissionRequest): UsageWrite {
  if (key === undefined || slot === undefined) return { condition: [], set: [], values: {}, names: {} };
  const room = key.creditsPerDay - credits;
  return {
    condition:
      room < 0
        ? ['attribute_not_exists(pk)']
        : ['attribute_exists(spent)', '(attribute_not_exists(spent.#key) OR spent.#key <= :room)'],
    set: ['spent.#key = if_not_exists(spent.#key, :unspent) + :credits', 'capped.#slot = :key'],
    values: { ...(room >= 0 && { ':room': room }), ':unspent': 0, ':key': key.id, ':credits': credits },
    names: { '#key': key.id, '#slot': slot.id },
  };
}

const UNCAPPED = 'attribute_not_exists(capped.#slot)';

/** Returns the unused credits of a slot of today to its key. */
export function uncapped(write: UsageWrite, keyId: string | undefined, rest: number): UsageWrite {
  if (keyId === undefined) return { ...write, condition: [...write.condition, UNCAPPED] };
  return {
    ...write,
    condition: [...write.condition, 'capped.#slot = :key'],
    set: [...write.set, 'spent.#key = spent.#key - :unused'],
    remove: [write.remove, 'capped.#slot'].filter(Boolean).join(', '),
    values: { ...write.values, ':key': keyId, ':unused': rest },
    names: { ...write.names, '#key': keyId },
  };
}

/** Passes a slot's hold on a key's cap to the next slot. Undefined if the caps are not of one key. */
export function capPassedOn(
  { key, slot, credits }: SlotRequest,
  keyId: string | undefined,
  rest: number,
): UsageWrite | undefined {
  if (key?.id !== keyId) return undefined;
  if (key === undefined) return { condition: [UNCAPPED], set: [], values: {}, names: {} };
  const more = credits - rest;
  return {
    condition: ['capped.#slot = :key', 'spent.#key <= :room'],
    set: ['spent.#key = spent.#key + :more', 'capped.#next = :key'],
    remove: 'capped.#slot',
    values: { ':key': key.id, ':more': more, ':room': key.creditsPerDay - more },
    names: { '#key': key.id, '#next': slot.id },
  };
}
