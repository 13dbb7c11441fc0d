import { z } from 'zod';
import { Visit } from '../../../contract/people/person.ts';
import { epochSeconds } from '../../../contract/time.ts';
import type { Visits } from '../../../ports/people.ts';
import { conditionalTable, type TableOptions } from '../conditional-table.ts';
import { rateBuckets } from './rate-buckets.ts';
import { sessions } from './sessions.ts';

/** The Visits port on a DynamoDB table with string key `pk` and time to live `expires_at`. */
export function dynamodbVisits(options: TableOptions): Visits {
  const items = conditionalTable(options);

  return {
    ...sessions(options),
    ...rateBuckets(options),

    save: async (hash, visit) => {
      await items.put({ pk: `VISIT#${hash}`, ...z.encode(Visit, visit) });
    },

    find: async (hash, now) => {
      const item = await items.get(`VISIT#${hash}`);
      const found = item && Visit.parse(item);
      return found && found.expiresAt > now ? found : undefined;
    },

    claimForm: (id, expiresAt) =>
      items.put(
        { pk: `FORM#${id}`, expires_at: z.encode(epochSeconds, expiresAt) },
        'attribute_not_exists(pk)',
      ),
  };
}
