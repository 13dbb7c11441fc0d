import { z } from 'zod';
import { Session } from '../../../contract/people/person.ts';
import { isoDate } from '../../../contract/time.ts';
import type { Visits } from '../../../ports/people.ts';
import { conditionalTable, type TableOptions } from '../conditional-table.ts';
import { conditionalUpdates } from '../conditional-updates.ts';

type Sessions = Pick<Visits, 'saveSession' | 'findSession' | 'noteSession' | 'endSession'>;

/** `SESSION#<hash>` items. */
export function sessions(options: TableOptions): Sessions {
  const items = conditionalTable(options);
  const update = conditionalUpdates(options);

  return {
    saveSession: async (hash, session) => {
      await items.put({ pk: `SESSION#${hash}`, ...z.encode(Session, session) });
    },

    findSession: async (hash) => {
      const item = await items.get(`SESSION#${hash}`);
      return item && Session.parse(item);
    },

    noteSession: async (hash, now) => {
      await update(`SESSION#${hash}`, 'SET seen_at = :now', {
        condition: 'attribute_exists(pk)',
        values: { ':now': z.encode(isoDate, now) },
      });
    },

    endSession: async (hash) => {
      await items.remove(`SESSION#${hash}`, 'attribute_exists(pk)');
    },
  };
}
