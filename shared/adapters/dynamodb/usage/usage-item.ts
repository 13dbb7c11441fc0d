import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { Usage } from '../../../contract/accounts/account.ts';
import type { EndOf } from '../../../ports/accounts.ts';
import { usageExpressions } from './usage-expressions.ts';
import { type UsageMonths, usageMonths } from './usage-months.ts';
import type { UsageWrite } from './usage-write.ts';
import { putOnList } from './waiting-list.ts';

const MAX_REMEMBERED = 10_000;

export type CreditWatch = {
  charged: (credits: number) => void;
  /** The item is in a state that should not occur. */
  anomaly: (orgId: string, anomaly: 'slot ran out' | 'negative number') => void;
};

export type UsageOptions = {
  client: DynamoDBDocumentClient;
  table: string;
  watch?: CreditWatch | undefined;
  /** How a scrape ended whose process died before it settled. */
  endOf?: EndOf | undefined;
};

export type UsageItem = UsageMonths & {
  read: (orgId: string) => Promise<Usage | undefined>;
  /** The usage after the write; undefined if its condition did not hold. */
  write: (orgId: string, write: UsageWrite) => Promise<Usage | undefined>;
  /** Puts the organization on the sweeper's list. */
  list: (orgId: string, now: Date) => Promise<void>;
  /** As this process last read or wrote it: a guess that saves round trips. Only a write decides. */
  lastSeen: (orgId: string) => Usage | undefined;
  watch: CreditWatch | undefined;
  endOf: EndOf;
};

export function usageItem({ client, table, watch, endOf }: UsageOptions): UsageItem {
  const seen = new Map<string, Usage>();
  const keyOf = (orgId: string) => ({ TableName: table, Key: { pk: `USAGE#${orgId}` } });

  return {
    ...usageMonths({ client, table }),
    watch,
    endOf: endOf ?? (() => Promise.resolve(undefined)),
    lastSeen: (orgId) => seen.get(orgId),
    list: (orgId, now) => putOnList({ client, table }, orgId, now),
    read: async (orgId) => {
      const { Item } = await client.send(new GetCommand({ ...keyOf(orgId), ConsistentRead: true }));
      return Item && remember(orgId, checked(orgId, Item));
    },
    write: async (orgId, write) => {
      const change = { ...keyOf(orgId), ...usageExpressions(write) };
      const update = new UpdateCommand({ ...change, ReturnValues: 'ALL_NEW' });
      const written = await client.send(update).catch(unlessConditionFailed);
      return written && remember(orgId, checked(orgId, written.Attributes));
    },
  };

  function remember(orgId: string, usage: Usage): Usage {
    if (seen.size >= MAX_REMEMBERED) seen.clear();
    seen.set(orgId, usage);
    return usage;
  }

  function checked(orgId: string, item: unknown): Usage {
    const usage = Usage.parse(item);
    if (usage.available < 0 || usage.used < 0) watch?.anomaly(orgId, 'negative number');
    return usage;
  }
}

function unlessConditionFailed(error: unknown): undefined {
  if (error instanceof ConditionalCheckFailedException) return undefined;
  throw error;
}
