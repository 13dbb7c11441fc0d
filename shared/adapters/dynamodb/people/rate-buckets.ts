import { z } from 'zod';
import { epochSeconds } from '../../../contract/time.ts';
import {
  emissionInterval,
  idleTat,
  latestTat,
  type RateLimit,
  retryAfterSeconds,
} from '../../../domain/accounts/credits/rate-limit.ts';
import type { Visits } from '../../../ports/people.ts';
import { conditionalTable, type TableOptions } from '../conditional-table.ts';
import { conditionalUpdates } from '../conditional-updates.ts';

/** `BUCKET#<name>` items, deleted once they are idle. */
export function rateBuckets(options: TableOptions): Pick<Visits, 'draw'> {
  const items = conditionalTable(options);
  const update = conditionalUpdates(options);

  return {
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
