import { z } from 'zod';
import { epochSeconds } from '../../../contract/time.ts';
import type { People } from '../../../ports/people.ts';
import { conditionalTable, type TableOptions } from '../conditional-table.ts';

/** One `LOCK#<org>` item for each organization whose members change. Anyone may take it once it is over. */
export function membersLock(options: TableOptions): Pick<People, 'lock' | 'unlock'> {
  const items = conditionalTable(options);

  return {
    lock: (orgId, holder, until, now) =>
      items.put(
        {
          pk: `LOCK#${orgId}`,
          held_by: holder,
          held_until: until.getTime(),
          expires_at: z.encode(epochSeconds, until),
        },
        'attribute_not_exists(pk) OR held_until <= :now',
        { ':now': now.getTime() },
      ),

    unlock: async (orgId, holder) => {
      await items.remove(`LOCK#${orgId}`, 'held_by = :holder', { ':holder': holder });
    },
  };
}
