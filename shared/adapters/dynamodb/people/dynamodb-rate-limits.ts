import { z } from 'zod';
import { epochSeconds } from '../../../contract/time.ts';
import {
  emissionInterval,
  idleTat,
  latestTat,
  type RateLimit,
  retryAfterSeconds,
} from '../../../domain/accounts/credits/rate-limit.ts';
import type { RateLimits } from '../../../ports/people.ts';
import { openTable, type TableOptions } from '../table.ts';
import { addMs } from '../../../time/units.ts';

/** The RateLimits port: `BUCKET#<name>` items, deleted once they are idle. */
export function dynamodbRateLimits(options: TableOptions): RateLimits {
  const table = openTable(options);

  return {
    take: async (bucket, rate, now) => {
      const key = { pk: `BUCKET#${bucket}` };
      if (await hasTaken(key, rate, now)) return 0;
      const tat = z.object({ tat: z.int() }).safeParse(await table.get(key)).data?.tat ?? 0;
      // Deleted since then, because it is idle.
      return Math.max(1, retryAfterSeconds(rate, tat, now.getTime()));
    },
  };

  /** One conditional write for a bucket in use, two for an idle one. */
  async function hasTaken(key: { pk: string }, rate: RateLimit, now: Date): Promise<boolean> {
    const [idle, latest, step] = [idleTat(+now), latestTat(rate, +now), emissionInterval(rate)];
    const expires = z.encode(epochSeconds, addMs(now, 2 * rate.windowMs));
    const inUse = () =>
      table.update(key, {
        condition: ['tat > :idle', 'tat <= :latest'],
        set: ['tat = tat + :step', 'expires_at = :expires'],
        values: { ':step': step, ':expires': expires, ':idle': idle, ':latest': latest },
      });
    const unused = () =>
      table.update(key, {
        condition: ['attribute_not_exists(tat) OR tat <= :idle'],
        set: ['tat = :first', 'expires_at = :expires'],
        values: { ':first': idle + step, ':expires': expires, ':idle': idle },
      });
    // Another request may start using it between the two writes.
    return (await inUse()) || (await unused()) || (await inUse());
  }
}
