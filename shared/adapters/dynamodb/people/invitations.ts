import { z } from 'zod';
import { Invitation } from '../../../contract/people/person.ts';
import { epochSeconds } from '../../../contract/time.ts';
import type { People } from '../../../ports/people.ts';
import { conditionalTable, type TableOptions } from '../conditional-table.ts';
import { conditionalUpdates } from '../conditional-updates.ts';
import { itemsOf } from './items-of.ts';

type Invitations = Pick<
  People,
  'saveInvitation' | 'findInvitation' | 'takeInvitation' | 'invitationsOf' | 'removeInvitation'
>;

const PREFIX = 'INVITATION#';

/** `INVITATION#<hash>` items. Only a conditional write takes one. */
export function invitations(options: TableOptions): Invitations {
  const items = conditionalTable(options);
  const update = conditionalUpdates(options);

  return {
    saveInvitation: async (hash, invitation) => {
      await items.put({ pk: PREFIX + hash, ...z.encode(Invitation, invitation) });
    },

    findInvitation: async (hash, now) => {
      const item = await items.get(PREFIX + hash);
      const found = item && Invitation.parse(item);
      return found && found.expiresAt > now ? found : undefined;
    },

    takeInvitation: (hash, userId, now) =>
      update(PREFIX + hash, 'SET taken_by = :user', {
        condition: 'expires_at > :now AND (attribute_not_exists(taken_by) OR taken_by = :user)',
        values: { ':user': userId, ':now': z.encode(epochSeconds, now) },
      }),

    invitationsOf: async (orgId) => {
      const found = await itemsOf(options, orgId, PREFIX);
      return new Map(found.map((item) => [String(item.pk).slice(PREFIX.length), Invitation.parse(item)]));
    },

    removeInvitation: (orgId, hash) => items.remove(PREFIX + hash, 'org_id = :org', { ':org': orgId }),
  };
}
