import { GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { z } from 'zod';
import { ActivityLine } from '../../../contract/accounts/activity.ts';
import { epochSeconds } from '../../../contract/time.ts';
import { endOfLine } from '../../../domain/accounts/activity/lines.ts';
import { positionFor } from '../../../domain/accounts/activity/position.ts';
import { longId, timeOfId } from '../../../domain/accounts/credits/short-id.ts';
import type { Activity } from '../../../ports/accounts.ts';
import type { TableOptions } from '../conditional-table.ts';
import { addMs } from '../../../time/units.ts';

const RETENTION_MS = 30 * 24 * 60 * 60 * 1_000;

/** The Activity port on a DynamoDB table with string keys `pk`, the organization, and `sk`, the position. */
export function dynamodbActivity({ client, table: TableName }: TableOptions): Activity {
  return {
    record: async (line) => {
      const item = { pk: line.orgId, sk: positionFor(line), ...z.encode(ActivityLine, line) };
      const expiresAt = addMs(line.time, RETENTION_MS);
      const Item = { ...item, expires_at: z.encode(epochSeconds, expiresAt) };
      await client.send(new PutCommand({ TableName, Item }));
    },

    lines: async (orgId, { from, to, before, limit }) => {
      const last = before !== undefined && before < to ? before : to;
      // DynamoDB refuses a range that ends before it begins.
      if (last < from) return [];
      const { Items = [] } = await client.send(
        new QueryCommand({
          TableName,
          KeyConditionExpression: 'pk = :org AND sk BETWEEN :from AND :last',
          ExpressionAttributeValues: { ':org': orgId, ':from': from, ':last': last },
          ScanIndexForward: false,
          // The last one itself is excluded, which no key condition can say.
          Limit: limit + 1,
        }),
      );
      const older = Items.filter(({ sk }) => sk !== last);
      return older
        .slice(0, limit)
        .map((item) => ({ position: String(item['sk']), line: ActivityLine.parse(item) }));
    },

    endOf: async (orgId, slotId) => {
      const id = longId(slotId);
      const time = id && timeOfId(id);
      if (!time) return undefined;
      const Key = { pk: orgId, sk: positionFor({ time, id }) };
      const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
      return Item && endOfLine(ActivityLine.parse(Item));
    },
  };
}
