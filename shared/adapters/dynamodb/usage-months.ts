import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { z } from 'zod';
import type { TableOptions } from './conditional-table.ts';
import { usageExpressions } from './usage-expressions.ts';
import type { UsageItem } from './usage-item.ts';

/** `USAGE#<org>#<month>` items, with an attribute for each day. */
export function usageMonths({ client, table }: TableOptions): Pick<UsageItem, 'readMonth' | 'writeMonth'> {
  const keyOf = (orgId: string, month: string) => ({
    TableName: table,
    Key: { pk: `USAGE#${orgId}#${month}` },
  });

  return {
    readMonth: async (orgId, month) => {
      const { Item } = await client.send(new GetCommand({ ...keyOf(orgId, month), ConsistentRead: true }));
      const days = Object.entries(Item ?? {}).filter(([name]) => name.startsWith(`${month}-`));
      return z.record(z.string(), z.record(z.string(), z.int())).parse(Object.fromEntries(days));
    },
    writeMonth: async (orgId, month, write) => {
      await client.send(new UpdateCommand({ ...keyOf(orgId, month), ...usageExpressions(write) }));
    },
  };
}
