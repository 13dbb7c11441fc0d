import { z } from 'zod';
import { epochSeconds } from '../../../contract/time.ts';
import { type TableOptions } from '../conditional-table.ts';
import { sortedTable } from '../sorted-table.ts';

const RETENTION_MS = 30 * 24 * 60 * 60 * 1_000;
/** Each round meets a change by another process. */
const MAX_ROUNDS = 20;

/** Attempts in progress of an organization, or at a receiver of it. */
const Attempts = z.object({
  /** When the place of each ends, unix milliseconds. */
  in_flight: z.record(z.string(), z.int()),
  failing_since: z.int().optional(),
  average_ms: z.int().optional(),
});
export type Attempts = z.infer<typeof Attempts>;

export type Key = { pk: string; sk: string };

/** What must be so for one more attempt: as a condition, and of what was read. */
export type Room = {
  condition: string;
  values: Record<string, number>;
  isIn: (stored: Attempts) => boolean;
};

type Times = { until: Date; now: Date };

/** Places for attempts, in an item each for those who share them. */
export function attemptPlaces(options: TableOptions) {
  const items = sortedTable(options);

  const find = async (key: Key): Promise<Attempts | undefined> => {
    const item = await items.get(key);
    return item && Attempts.parse(item);
  };

  const free = (key: Key, name: string, until: number): Promise<boolean> =>
    items.update(key, {
      UpdateExpression: 'REMOVE in_flight.#attempt',
      ConditionExpression: 'in_flight.#attempt = :until',
      ExpressionAttributeNames: { '#attempt': name },
      ExpressionAttributeValues: { ':until': until },
    });

  /** The item with the place; why not otherwise. Frees places of dead processes if there is no other. */
  async function take(key: Key, name: string, room: Room, { until, now }: Times) {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const written = await items.updated(key, placed(name, until, room));
      if (written) return Attempts.parse(written);
      const stored = await find(key);
      if (stored === undefined) {
        await items.add({ ...key, in_flight: {}, expires_at: expiry(now) });
        continue;
      }
      const lapsed = Object.entries(stored.in_flight).filter(([, ends]) => ends <= now.getTime());
      for (const [other, ends] of lapsed) await free(key, other, ends);
      if (lapsed.length > 0) continue;
      if (name in stored.in_flight) return 'taken';
      if (!room.isIn(stored)) return 'full';
    }
    return 'full';
  }

  return { take, free, find, update: items.update };
}

/** The time to live of an item, from its last use. */
export const expiry = (now: Date) => z.encode(epochSeconds, new Date(now.getTime() + RETENTION_MS));

function placed(name: string, until: Date, { condition, values }: Room) {
  return {
    UpdateExpression: 'SET in_flight.#attempt = :until',
    ConditionExpression: `attribute_exists(in_flight) AND attribute_not_exists(in_flight.#attempt) AND ${condition}`,
    ExpressionAttributeNames: { '#attempt': name },
    ExpressionAttributeValues: { ...values, ':until': until.getTime() },
  };
}
