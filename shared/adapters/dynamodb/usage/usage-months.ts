import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { z } from 'zod';
import type { DayCounts } from '../../../domain/accounts/credits/usage-days.ts';
import type { TableOptions } from '../conditional-table.ts';
import { usageExpressions } from './usage-expressions.ts';
import type { UsageWrite } from './usage-write.ts';

export type UsageMonths = {
  /** The finished days of a month, from the item that keeps them. */
  readMonth: (orgId: string, month: string) => Promise<Record<string, DayCounts>>;
  writeMonth: (orgId: string, month: string, write: UsageWrite) => Promise<void>;
};

/** `USAGE#<org>#<month>` items, with an attribute for each day. */
export function usageMonths({ client, table }: TableOptions): UsageMonths {
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
