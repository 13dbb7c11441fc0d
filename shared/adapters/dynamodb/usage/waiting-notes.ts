import type { WaitList } from '../../../ports/usage.ts';
import { jobSlots } from '../../../domain/accounts/credits/slots.ts';
import { limitsOf } from '../../../domain/accounts/credits/plan.ts';
import type { UsageItem } from './usage-item.ts';
import { backlogNoted, unlisted, waitingCleared, waitingNoted } from './waiting-writes.ts';

type Notes = Omit<WaitList, 'list' | 'takeOff'>;

/** Which organizations have jobs at work: flags in their usage, besides an item on the sweeper's list. */
export function waitingNotes(item: UsageItem): Notes {
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

    clear: async ({ id }, waitingAt) => {
      await item.write(id, waitingCleared(waitingAt));
    },

    unlist: async ({ id }) => {
      await item.write(id, unlisted);
    },
  };
}
