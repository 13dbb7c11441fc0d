import { z } from 'zod';
import { limitsOf } from '../../../domain/accounts/credits/plan.ts';
import { jobSlots } from '../../../domain/accounts/credits/slots.ts';
import type { WaitList } from '../../../ports/usage.ts';
import { EXISTS, itemsOf, openTable, type TableOptions, type Write } from '../table.ts';
import type { UsageItem } from './usage-item.ts';

/** The partition of the index `by_org` that lists `WAITING#<org>` items. No organization has this id. */
export const WAITING_LIST = '#waiting';
const PREFIX = 'WAITING#';

const StoredNote = z.object({ pk: z.string(), since: z.int() });

export type WaitListItem = ReturnType<typeof waitListItem>;

/** The items that list organizations for the sweeper. */
export function waitListItem(options: TableOptions) {
  const table = openTable(options);
  return {
    /** Lists an organization, again if it is listed. */
    put: async (orgId: string, now: Date): Promise<void> => {
      await table.put({ pk: PREFIX + orgId, org_id: WAITING_LIST, since: now.getTime() });
    },
    all: async () => {
      const items = await itemsOf(table, WAITING_LIST, PREFIX);
      const notes = z.array(StoredNote).parse(items);
      return notes.map(({ pk, since }) => ({ orgId: pk.slice(PREFIX.length), since }));
    },
    remove: async (orgId: string, since: number): Promise<void> => {
      const unchanged = { condition: ['since = :seen'], values: { ':seen': since } };
      await table.remove({ pk: PREFIX + orgId }, unchanged);
    },
  };
}

/** The WaitList port: flags in an organization's usage, besides an item on the sweeper's list. */
export function dynamodbWaitList(item: UsageItem, list: WaitListItem): WaitList {
  return {
    noteWaiting: async (organization, now) => {
      const { id } = organization;
      const seen = item.lastSeen(id);
      const slots = jobSlots(limitsOf(organization), seen?.slots.syncAt ?? 0, now);
      if (seen?.waiting.isAwaited && (await item.write(id, waitingNoted(slots, now, true)))) return true;
      // Listed first: after a crash the sweeper finds an organization without waiting jobs.
      await list.put(id, now);
      return (await item.write(id, waitingNoted(slots, now, false))) !== undefined;
    },

    noteBacklog: async ({ id }, now) => {
      await list.put(id, now);
      await item.write(id, backlogNoted(now));
    },

    clear: async ({ id }, waitingAt) => void (await item.write(id, waitingCleared(waitingAt))),
    unlist: async ({ id }) => void (await item.write(id, UNLISTED)),
    list: () => list.all(),
    takeOff: (orgId, since) => list.remove(orgId, since),
  };
}

export const syncNoted = (now: Date): Write => ({
  ...EXISTS,
  set: ['sync_at = :now'],
  values: { ':now': now.getTime() },
});

/** Notes that jobs wait, while all slots that jobs may take are taken. */
const waitingNoted = (slots: number, now: Date, isAwaited: boolean): Write => ({
  condition: ['attribute_exists(pk)', 'size(slots) >= :slots', ...(isAwaited ? ['is_awaited = :true'] : [])],
  set: ['waiting_at = :now', 'is_awaited = :true'],
  values: { ':slots': slots, ':now': now.getTime(), ':true': true },
});

const backlogNoted = (now: Date): Write => ({
  ...EXISTS,
  set: ['waiting_at = :now', 'is_awaited = :true'],
  values: { ':now': now.getTime(), ':true': true },
});

/** The next slot of a job lists the organization again. */
const UNLISTED: Write = { ...EXISTS, set: ['is_listed = :false'], values: { ':false': false } };

const waitingCleared = (waitingAt: number): Write => ({
  condition: ['waiting_at = :seen'],
  set: ['is_awaited = :false'],
  values: { ':seen': waitingAt, ':false': false },
});
