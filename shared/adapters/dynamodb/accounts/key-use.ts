import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { z } from 'zod';
import type { Accounts } from '../../../ports/accounts.ts';
import type { TableOptions } from '../conditional-table.ts';
import { HOUR_MS } from '../../../time/units.ts';

const MAX_REMEMBERED = 10_000;

/** When an organization's keys were last used: a separate item, because functions must not write keys. */
export function keyUse({ client, table }: TableOptions): Pick<Accounts, 'touchKey' | 'keysUsed'> {
  const noted = new Map<string, number>();
  const itemOf = (orgId: string) => ({ TableName: table, Key: { pk: `USAGE#${orgId}#keys` } });

  return {
    touchKey: async (orgId, keyId, now) => {
      if (now.getTime() < (noted.get(keyId) ?? 0) + HOUR_MS) return;
      if (noted.size >= MAX_REMEMBERED) noted.clear();
      noted.set(keyId, now.getTime());
      const update = new UpdateCommand({
        ...itemOf(orgId),
        UpdateExpression: 'SET #key = :now',
        ConditionExpression: 'attribute_not_exists(#key) OR #key <= :hour_ago',
        ExpressionAttributeNames: { '#key': keyId },
        ExpressionAttributeValues: { ':now': now.getTime(), ':hour_ago': now.getTime() - HOUR_MS },
      });
      await client.send(update).catch(unlessNoted);
    },

    keysUsed: async (orgId) => {
      const { Item: { pk: _pk, ...times } = {} } = await client.send(new GetCommand(itemOf(orgId)));
      const used = Object.entries(z.record(z.string(), z.int()).parse(times));
      return Object.fromEntries(used.map(([keyId, time]) => [keyId, new Date(time)]));
    },
  };
}

/** Another environment noted it within the hour. */
function unlessNoted(error: unknown): void {
  if (!(error instanceof ConditionalCheckFailedException)) throw error;
}
