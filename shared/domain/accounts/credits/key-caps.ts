import type { Caps } from '../../../contract/accounts/account.ts';

/** A key with a cap of credits per UTC day. */
export type CappedKey = { id: string; creditsPerDay: number };

const NONE: Caps = { spent: {}, keyOf: {} };

/** Credits that a capped key may still use today. */
export function leftToday({ spent } = NONE, { id, creditsPerDay }: CappedKey): number {
  return creditsPerDay - (spent[id] ?? 0);
}

/** Holds the credits of a slot against the cap of its key. */
export function withSpent({ spent, keyOf } = NONE, slotId: string, keyId: string, credits: number): Caps {
  return {
    spent: { ...spent, [keyId]: (spent[keyId] ?? 0) + credits },
    keyOf: { ...keyOf, [slotId]: keyId },
  };
}

/** Returns the unused credits of a slot to its key, on the same day. */
export function withoutSpent(caps: Caps | undefined, slotId: string, credits: number): Caps | undefined {
  const { [slotId]: keyId, ...others } = caps?.keyOf ?? {};
  if (caps === undefined || keyId === undefined) return caps;
  return { spent: { ...caps.spent, [keyId]: (caps.spent[keyId] ?? 0) - credits }, keyOf: others };
}
