import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import { z } from 'zod';
import type { Accounts } from '../../ports.ts';
import { jobSlots } from '../../domain/credits/slots.ts';
import { limitsOf } from '../../domain/credits/plan.ts';
import { conditionalTable } from './conditional-table.ts';
import { type UsageItem, type UsageOptions, WAITING_LIST } from './usage-item.ts';
import { backlogNoted, unlisted, waitingCleared, waitingNoted } from './waiting-writes.ts';

const StoredNote = z.object({ pk: z.string(), since: z.int() });

type Notes = Pick<
  Accounts,
  'noteWaiting' | 'noteBacklog' | 'clearWaiting' | 'unlist' | 'listedOrganizations' | 'takeOffList'
>;

/** Which organizations have jobs at work: flags in their usage, and an item for the sweeper's list. */
export function waitingNotes({ client, table }: UsageOptions, item: UsageItem): Notes {
  const items = conditionalTable({ client, table });

  return {
    noteWaiting: async (organization, now) => {
      const { id } = organization;
      const seen = item.lastSeen(id);
      const slots = jobSlots(limitsOf(organization), seen, now);
      if (seen?.isAwaited && (await item.write(id, waitingNoted(slots, now, true)))) return true;
      // Listed first: after a crash the sweeper finds an organization without waiting jobs.
      await item.list(id, now);
      return (await item.write(id, waitingNoted(slots, now, false))) !== undefined;
    },

    noteBacklog: async ({ id }, now) => {
      await item.list(id, now);
      await item.write(id, backlogNoted(now));
    },

    clearWaiting: async ({ id }, waitingAt) => {
      await item.write(id, waitingCleared(waitingAt));
    },

    unlist: async ({ id }) => {
      await item.write(id, unlisted);
    },

    listedOrganizations: async () => {
      const query = {
        TableName: table,
        IndexName: 'by_org',
        KeyConditionExpression: 'org_id = :list',
        ExpressionAttributeValues: { ':list': WAITING_LIST },
      };
      const listed: { orgId: string; since: number }[] = [];
      for await (const { Items = [] } of paginateQuery({ client }, query)) {
        for (const { pk, since } of z.array(StoredNote).parse(Items))
          listed.push({ orgId: pk.slice('WAITING#'.length), since });
      }
      return listed;
    },

    takeOffList: async (orgId, since) => {
      await items.remove(`WAITING#${orgId}`, 'since = :seen', { ':seen': since });
    },
  };
}
