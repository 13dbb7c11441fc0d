import { z } from 'zod';
import { Invitation } from '../../contract/person.ts';
import { epochSeconds } from '../../contract/time.ts';
import type { People } from '../../people-ports.ts';
import { conditionalTable, type TableOptions } from './conditional-table.ts';
import { conditionalUpdates } from './conditional-updates.ts';

type Invitations = Pick<People, 'saveInvitation' | 'findInvitation' | 'takeInvitation'>;

/** `INVITATION#<hash>` items. Only a conditional write takes one. */
export function invitations(options: TableOptions): Invitations {
  const items = conditionalTable(options);
  const update = conditionalUpdates(options);

  return {
    saveInvitation: async (hash, invitation) => {
      await items.put({ pk: `INVITATION#${hash}`, ...z.encode(Invitation, invitation) });
    },

    findInvitation: async (hash, now) => {
      const item = await items.get(`INVITATION#${hash}`);
      const found = item && Invitation.parse(item);
      return found && found.expiresAt > now ? found : undefined;
    },

    takeInvitation: (hash, userId, now) =>
      update(`INVITATION#${hash}`, 'SET taken_by = :user', {
        condition: 'expires_at > :now AND (attribute_not_exists(taken_by) OR taken_by = :user)',
        values: { ':user': userId, ':now': z.encode(epochSeconds, now) },
      }),
  };
}
