import { z } from 'zod';
import { CachedPage, storedKeys } from '../../../contract/scrape/cached-page.ts';
import type { CacheKey } from '../../../domain/scrape/cache/cache-key.ts';
import type { PageCache } from '../../../ports/scrape.ts';
import { itemKind, openTable, type Table, type TableOptions } from '../table.ts';

type UrlOfPages = Parameters<PageCache['forget']>[0];

/** The partition of an organization's pages in the activity table. */
export const cachePartition = (orgId: string): string => `CACHE#${orgId}`;

/** The PageCache port: items of the activity table, which forgets them when they expire. */
export function dynamodbPageCache({ days, ...options }: TableOptions & { days: number }): PageCache {
  const table = openTable(options);
  const keyOf = ({ orgId, urlHash, fieldsHash }: CacheKey) => ({
    pk: cachePartition(orgId),
    sk: `${urlHash}#${fieldsHash}`,
  });
  const items = itemKind(table, CachedPage, keyOf);
  return {
    days,
    find: async (key, now) => {
      const page = await items.find(key);
      return page && page.expiresAt > now ? page : undefined;
    },
    keep: async (key, page) => void (await items.put(key, page)),
    renew: async (key, page) => {
      const { result_key, fetched_at, etag, last_modified } = z.encode(CachedPage, page);
      const known = Object.entries({ fetched_at, etag, last_modified }).filter(([, value]) => value);
      await table.update(keyOf(key), {
        condition: ['result_key = :result_key'],
        set: known.map(([name]) => `${name} = :${name}`),
        values: {
          ':result_key': result_key,
          ...Object.fromEntries(known.map(([name, value]) => [`:${name}`, value])),
        },
      });
    },
    forget: (url) => forgetUnder(table, url),
  };
}

async function forgetUnder(table: Table, { orgId, urlHash }: UrlOfPages): Promise<string[]> {
  const pk = cachePartition(orgId);
  const where = 'pk = :pk AND begins_with(sk, :url)';
  const found = table.each({ where, values: { ':pk': pk, ':url': `${urlHash}#` }, isConsistent: true });
  const keys: string[] = [];
  for await (const item of found) {
    await table.remove({ pk, sk: String(item['sk']) });
    keys.push(...storedKeys(CachedPage.parse(item)));
  }
  return keys;
}
