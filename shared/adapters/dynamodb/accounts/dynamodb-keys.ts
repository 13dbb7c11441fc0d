import { z } from 'zod';
import { ApiKeyRecord } from '../../../contract/accounts/account.ts';
import type { Keys } from '../../../ports/accounts.ts';
import { HOUR_MS } from '../../../time/units.ts';
import { itemKind, itemsOf, openTable, type Table, type TableOptions } from '../table.ts';

const PREFIX = 'KEY#';
const MAX_REMEMBERED = 10_000;

/** The Keys port: items `KEY#<id>`, also in the index `by_org`, and an item for when they were used. */
export function dynamodbKeys(options: TableOptions): Keys {
  const table = openTable(options);
  const keys = itemKind(table, ApiKeyRecord, (id: string) => ({ pk: PREFIX + id }));
  return {
    find: (id) => keys.find(id, { isConsistent: false }),
    list: async (orgId) => (await itemsOf(table, orgId, PREFIX)).map((item) => ApiKeyRecord.parse(item)),
    save: async (key) => void (await keys.put(key.id, key)),
    replace: (key) =>
      keys.put(key.id, key, { condition: ['#status = :active'], values: { ':active': 'active' } }),
    ...keyUse(table),
  };
}

/** When an organization's keys were last used: a separate item, because functions must not write keys. */
function keyUse(table: Table): Pick<Keys, 'touch' | 'lastUsed'> {
  const noted = new Map<string, number>();
  const keyOf = (orgId: string) => ({ pk: `USAGE#${orgId}#keys` });

  return {
    touch: async (orgId, keyId, now) => {
      if (now.getTime() < (noted.get(keyId) ?? 0) + HOUR_MS) return;
      if (noted.size >= MAX_REMEMBERED) noted.clear();
      noted.set(keyId, now.getTime());
      // Another environment may have noted it within the hour.
      await table.update(keyOf(orgId), {
        condition: ['attribute_not_exists(#key) OR #key <= :hour_ago'],
        set: ['#key = :now'],
        values: { ':now': now.getTime(), ':hour_ago': now.getTime() - HOUR_MS },
        names: { '#key': keyId },
      });
    },

    lastUsed: async (orgId) => {
      const { pk: _pk, ...times } = (await table.get(keyOf(orgId), { isConsistent: false })) ?? {};
      const used = Object.entries(z.record(z.string(), z.int()).parse(times));
      return Object.fromEntries(used.map(([keyId, time]) => [keyId, new Date(time)]));
    },
  };
}
