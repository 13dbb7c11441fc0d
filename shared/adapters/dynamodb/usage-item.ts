import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { Usage } from '../../contract/account.ts';
import type { UsageWrite } from './usage-writes.ts';

const MAX_REMEMBERED = 10_000;

export type CreditWatch = {
  charged: (credits: number) => void;
  /** The item is in a state that should not occur. */
  anomaly: (orgId: string, anomaly: 'slot ran out' | 'negative number') => void;
};

export type UsageOptions = { client: DynamoDBDocumentClient; table: string; watch?: CreditWatch | undefined };

export type UsageItem = {
  read: (orgId: string) => Promise<Usage | undefined>;
  /** The usage after the write; undefined if its condition did not hold. */
  write: (orgId: string, write: UsageWrite) => Promise<Usage | undefined>;
  /** As this process last wrote it: a guess that saves round trips. Only a write decides. */
  lastSeen: (orgId: string) => Usage | undefined;
  watch: CreditWatch | undefined;
};

export function usageItem({ client, table, watch }: UsageOptions): UsageItem {
  const seen = new Map<string, Usage>();
  const keyOf = (orgId: string) => ({ TableName: table, Key: { pk: `USAGE#${orgId}` } });

  return {
    watch,
    lastSeen: (orgId) => seen.get(orgId),
    read: async (orgId) => {
      const { Item } = await client.send(new GetCommand({ ...keyOf(orgId), ConsistentRead: true }));
      return Item && checked(orgId, Item);
    },
    write: async (orgId, { set, remove, condition, values, names }) => {
      const actions = [set.length > 0 ? `SET ${set.join(', ')}` : '', remove ? `REMOVE ${remove}` : ''];
      const update = new UpdateCommand({
        ...keyOf(orgId),
        UpdateExpression: actions.join(' '),
        ConditionExpression: condition.join(' AND '),
        ExpressionAttributeValues: nonEmpty(values),
        ExpressionAttributeNames: nonEmpty(names),
        ReturnValues: 'ALL_NEW',
      });
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

/** DynamoDB rejects an empty map of names or values. */
function nonEmpty<T extends object>(map: T): T | undefined {
  return Object.keys(map).length > 0 ? map : undefined;
}

function unlessConditionFailed(error: unknown): undefined {
  if (error instanceof ConditionalCheckFailedException) return undefined;
  throw error;
}
