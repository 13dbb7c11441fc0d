import { paginateQuery, PutCommand } from '@aws-sdk/lib-dynamodb';
import { z } from 'zod';
import type { WaitList } from '../../../ports/usage.ts';
import { conditionalTable, type TableOptions } from '../conditional-table.ts';

/** The partition of the index `by_org` that lists `WAITING#<org>` items. No organization has this id. */
export const WAITING_LIST = '#waiting';
const PREFIX = 'WAITING#';

const StoredNote = z.object({ pk: z.string(), since: z.int() });

/** Lists an organization for the sweeper, again if it is listed. */
export async function putOnList({ client, table }: TableOptions, orgId: string, now: Date): Promise<void> {
  const Item = { pk: PREFIX + orgId, org_id: WAITING_LIST, since: now.getTime() };
  await client.send(new PutCommand({ TableName: table, Item }));
}

/** The sweeper's side of the list. */
export function waitingList({ client, table }: TableOptions): Pick<WaitList, 'list' | 'takeOff'> {
  const items = conditionalTable({ client, table });

  return {
    list: async () => {
      const query = {
        TableName: table,
        IndexName: 'by_org',
        KeyConditionExpression: 'org_id = :list',
        ExpressionAttributeValues: { ':list': WAITING_LIST },
      };
      const listed: { orgId: string; since: number }[] = [];
      for await (const { Items = [] } of paginateQuery({ client }, query)) {
        for (const { pk, since } of z.array(StoredNote).parse(Items))
          listed.push({ orgId: pk.slice(PREFIX.length), since });
      }
      return listed;
    },

    takeOff: async (orgId, since) => {
      await items.remove(PREFIX + orgId, 'since = :seen', { ':seen': since });
    },
  };
}
