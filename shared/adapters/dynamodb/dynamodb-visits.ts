import { z } from 'zod';
import { Session, Visit } from '../../contract/person.ts';
import { epochSeconds, isoDate } from '../../contract/time.ts';
import {
  emissionInterval,
  idleTat,
  latestTat,
  type RateLimit,
  retryAfterSeconds,
} from '../../domain/credits/rate-limit.ts';
import type { Visits } from '../../people-ports.ts';
import { conditionalTable, type TableOptions } from './conditional-table.ts';
import { conditionalUpdates } from './conditional-updates.ts';

/** The Visits port on a DynamoDB table with string key `pk` and time to live `expires_at`. */
export function dynamodbVisits(options: TableOptions): Visits {
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

    draw: async (bucket, rate, now) => {
      const pk = `BUCKET#${bucket}`;
      if (await take(pk, rate, now)) return 0;
      const tat = z.object({ tat: z.int() }).safeParse(await items.get(pk)).data?.tat ?? 0;
      // Deleted since then, because it is idle.
      return Math.max(1, retryAfterSeconds(rate, tat, now.getTime()));
    },
  };

  /** One conditional write for a bucket in use, two for an idle one. */
  async function take(pk: string, rate: RateLimit, now: Date): Promise<boolean> {
    const [idle, latest, step] = [idleTat(+now), latestTat(rate, +now), emissionInterval(rate)];
    const expires = z.encode(epochSeconds, new Date(now.getTime() + 2 * rate.windowMs));
    const inUse = () =>
      update(pk, 'SET tat = tat + :step, expires_at = :expires', {
        condition: 'tat > :idle AND tat <= :latest',
        values: { ':step': step, ':expires': expires, ':idle': idle, ':latest': latest },
      });
    const unused = () =>
      update(pk, 'SET tat = :first, expires_at = :expires', {
        condition: 'attribute_not_exists(tat) OR tat <= :idle',
        values: { ':first': idle + step, ':expires': expires, ':idle': idle },
      });
    // Another request may start using it between the two writes.
    return (await inUse()) || (await unused()) || (await inUse());
  }
}
