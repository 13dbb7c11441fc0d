import type { AccountEffects } from '../../../ports/accounts.ts';

/** Revoking a key or suspending an organization takes effect everywhere within 15 seconds. */
const TTL_MS = 10_000;
const MAX_ENTRIES = 10_000;

type Cached = Pick<AccountEffects, 'keys' | 'organizations'>;

/** Caches keys and organizations for 10 seconds. Absent ones are not cached. */
export function cachedAccounts<Accounts extends Cached>(accounts: Accounts, now: () => Date): Accounts {
  const { keys, organizations } = accounts;
  return {
    ...accounts,
    keys: { ...keys, find: ttlCache(keys.find, now) },
    organizations: { ...organizations, find: ttlCache(organizations.find, now) },
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
