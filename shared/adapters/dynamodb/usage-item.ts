import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { z } from 'zod';
import { Usage } from '../../contract/account.ts';
import type { DayCounts } from '../../domain/credits/usage-days.ts';
import type { EndOf } from '../../ports.ts';
import type { UsageWrite } from './usage-writes.ts';

const MAX_REMEMBERED = 10_000;

/** The partition of the index `by_org` that lists `WAITING#<org>` items. No organization has this id. */
export const WAITING_LIST = '#waiting';

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

export type UsageItem = {
  read: (orgId: string) => Promise<Usage | undefined>;
  /** The usage after the write; undefined if its condition did not hold. */
  write: (orgId: string, write: UsageWrite) => Promise<Usage | undefined>;
  /** The finished days of a month, from the item that keeps them. */
  readMonth: (orgId: string, month: string) => Promise<Record<string, DayCounts>>;
  writeMonth: (orgId: string, month: string, write: UsageWrite) => Promise<void>;
  /** Puts the organization on the sweeper's list. */
  list: (orgId: string, now: Date) => Promise<void>;
  /** As this process last read or wrote it: a guess that saves round trips. Only a write decides. */
  lastSeen: (orgId: string) => Usage | undefined;
  watch: CreditWatch | undefined;
  endOf: EndOf;
};

export function usageItem({ client, table, watch, endOf }: UsageOptions): UsageItem {
  const seen = new Map<string, Usage>();
  const keyOf = (name: string) => ({ TableName: table, Key: { pk: `USAGE#${name}` } });

  return {
    watch,
    endOf: endOf ?? (() => Promise.resolve(undefined)),
    lastSeen: (orgId) => seen.get(orgId),
    list,
    read: async (orgId) => {
      const { Item } = await client.send(new GetCommand({ ...keyOf(orgId), ConsistentRead: true }));
      return Item && remember(orgId, checked(orgId, Item));
    },
    write: async (orgId, write) => {
      const update = new UpdateCommand({ ...keyOf(orgId), ...expressions(write), ReturnValues: 'ALL_NEW' });
      const written = await client.send(update).catch(unlessConditionFailed);
      return written && remember(orgId, checked(orgId, written.Attributes));
    },
    readMonth: async (orgId, month) => {
      const { Item } = await client.send(
        new GetCommand({ ...keyOf(`${orgId}#${month}`), ConsistentRead: true }),
      );
      const days = Object.entries(Item ?? {}).filter(([name]) => name.startsWith(`${month}-`));
      return z.record(z.string(), z.record(z.string(), z.int())).parse(Object.fromEntries(days));
    },
    writeMonth: async (orgId, month, write) => {
      await client.send(new UpdateCommand({ ...keyOf(`${orgId}#${month}`), ...expressions(write) }));
    },
  };

  async function list(orgId: string, now: Date): Promise<void> {
    const Item = { pk: `WAITING#${orgId}`, org_id: WAITING_LIST, since: now.getTime() };
    await client.send(new PutCommand({ TableName: table, Item }));
  }

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

function expressions({ set, remove, add, condition, values, names }: UsageWrite) {
  const sets = set.length > 0 ? `SET ${set.join(', ')}` : '';
  const actions = [sets, remove ? `REMOVE ${remove}` : '', add ? `ADD ${add}` : ''];
  return {
    // An admission without anything to hold is only a condition.
    UpdateExpression: actions.filter(Boolean).join(' ') || undefined,
    ...(condition.length > 0 && { ConditionExpression: condition.join(' AND ') }),
    ExpressionAttributeValues: nonEmpty(values),
    ExpressionAttributeNames: nonEmpty(names),
  };
}

/** DynamoDB rejects an empty map of names or values. */
function nonEmpty<T extends object>(map: T): T | undefined {
  return Object.keys(map).length > 0 ? map : undefined;
}

function unlessConditionFailed(error: unknown): undefined {
  if (error instanceof ConditionalCheckFailedException) return undefined;
  throw error;
}
