import { z } from 'zod';
import { Session, Visit } from '../../../contract/people/person.ts';
import { epochSeconds, isoDate } from '../../../contract/time.ts';
import type { Sessions, SignUps } from '../../../ports/people.ts';
import { EXISTS, IS_NEW, itemKind, openTable, type TableOptions } from '../table.ts';

/** The Sessions port on a DynamoDB table with string key `pk` and time to live `expires_at`. */
export function dynamodbSessions(options: TableOptions): Sessions {
  const table = openTable(options);
  const sessions = itemKind(table, Session, (hash: string) => ({ pk: `SESSION#${hash}` }));
  return {
    save: async (hash, session) => void (await sessions.put(hash, session)),
    find: (hash) => sessions.find(hash),
    touch: async (hash, now) => {
      await sessions.update(hash, {
        ...EXISTS,
        set: ['seen_at = :now'],
        values: { ':now': z.encode(isoDate, now) },
      });
    },
    end: async (hash) => void (await sessions.remove(hash)),
    claimForm: (id, expiresAt) =>
      table.put({ pk: `FORM#${id}`, expires_at: z.encode(epochSeconds, expiresAt) }, IS_NEW),
  };
}

/** The SignUps port on the same table. */
export function dynamodbSignUps(options: TableOptions): SignUps {
  const visits = itemKind(openTable(options), Visit, (hash: string) => ({ pk: `VISIT#${hash}` }));
  return {
    save: async (hash, visit) => void (await visits.put(hash, visit)),
    find: async (hash, now) => {
      const found = await visits.find(hash);
      return found && found.expiresAt > now ? found : undefined;
    },
  };
}
