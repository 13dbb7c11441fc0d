import type { Accounts } from '../../../ports/accounts.ts';

/** Revoking a key or suspending an organization takes effect everywhere within 15 seconds. */
const TTL_MS = 10_000;
const MAX_ENTRIES = 10_000;

/** Caches keys and organizations for 10 seconds. Absent ones are not cached. */
export function cachedAccounts(accounts: Accounts, now: () => Date): Accounts {
  return {
    ...accounts,
    findKey: ttlCache(accounts.findKey, now),
    findOrganization: ttlCache(accounts.findOrganization, now),
  };
}

function ttlCache<T>(find: (id: string) => Promise<T | undefined>, now: () => Date) {
  const entries = new Map<string, { value: T; staleAt: number }>();
  return async (id: string): Promise<T | undefined> => {
    const known = entries.get(id);
    if (known && known.staleAt > now().getTime()) return known.value;
    const value = await find(id);
    if (entries.size >= MAX_ENTRIES) entries.clear();
    if (value === undefined) entries.delete(id);
    else entries.set(id, { value, staleAt: now().getTime() + TTL_MS });
    return value;
  };
}
