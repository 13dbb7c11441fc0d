import { createHash } from 'node:crypto';
import { z } from 'zod';
import { epochSeconds } from '../../../contract/time.ts';
import { isCrowded, MAX_AT_ONCE, MAX_WHILE_FAILING } from '../../../domain/webhooks/receiver.ts';
import type { AttemptPlace, EndedAttempt, Receivers } from '../../../ports/webhooks.ts';
import {
  type Condition,
  IS_NEW,
  joined,
  openTable,
  type Table,
  type TableOptions,
  type Write,
} from '../table.ts';
import { addMs } from '../../../time/units.ts';

const RETENTION_MS = 30 * 24 * 60 * 60 * 1_000;
/** Each round meets a change by another process. */
const MAX_ROUNDS = 20;
const NAME_LENGTH = 16;

/** Attempts in progress of an organization, or at a receiver of it. */
const Attempts = z.object({
  /** When the place of each ends, unix milliseconds. */
  in_flight: z.record(z.string(), z.int()),
  failing_since: z.int().optional(),
  average_ms: z.int().optional(),
});
type Attempts = z.infer<typeof Attempts>;

type Key = { pk: string; sk: string };

/** What must be so for one more attempt: as a condition, and of what was read. */
type Room = Condition & { isIn: (stored: Attempts) => boolean };

type Times = { until: Date; now: Date };

type Options = TableOptions & { attemptsPerOrganization: number };

/** The Receivers port on the table of webhooks: an item for each organization, and for each receiver. */
export function dynamodbReceivers({ attemptsPerOrganization, ...options }: Options): Receivers {
  const table = openTable(options);
  const ofOrganization = roomFor(attemptsPerOrganization);

  return {
    begin: async (place, until, now) => {
      const [name, organization, receiver] = [nameOf(place), keyOf(place.orgId), keyOf(place.receiver)];
      const inAll = await take(table, organization, name, { room: ofOrganization, until, now });
      if (typeof inAll === 'string') return { outcome: inAll };
      const there = await take(table, receiver, name, { room: ofReceiver, until, now });
      if (typeof there === 'string') {
        await table.update(organization, freed(name, until.getTime()));
        return { outcome: there };
      }
      return {
        outcome: 'begun',
        averageMs: there.average_ms ?? 0,
        isCrowded: isCrowded(Object.keys(inAll.in_flight).length, attemptsPerOrganization),
      };
    },

    end: async (place, ended, now) => {
      const [name, organization, receiver] = [nameOf(place), keyOf(place.orgId), keyOf(place.receiver)];
      await table.update(receiver, joined(left(name, now), noted(ended, now)));
      await table.update(organization, left(name, now));
      const since = ended.isSuccess ? undefined : (await find(table, receiver))?.failing_since;
      return since === undefined ? undefined : new Date(since);
    },
  };
}

async function find(table: Table, key: Key): Promise<Attempts | undefined> {
  const item = await table.get(key);
  return item && Attempts.parse(item);
}

/** The item with the place, or the reason for none. Frees places of dead processes if all are taken. */
async function take(table: Table, key: Key, name: string, { room, until, now }: Times & { room: Room }) {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const written = await table.updated(key, joined(placed(name, until), room));
    if (written) return Attempts.parse(written);
    const stored = await find(table, key);
    if (stored === undefined) {
      await table.put({ ...key, in_flight: {}, expires_at: expiry(now) }, IS_NEW);
      continue;
    }
    const lapsed = Object.entries(stored.in_flight).filter(([, ends]) => ends <= now.getTime());
    for (const [other, ends] of lapsed) await table.update(key, freed(other, ends));
    if (lapsed.length > 0) continue;
    if (name in stored.in_flight) return 'taken';
    if (!room.isIn(stored)) return 'full';
  }
  return 'full';
}

const keyOf = (who: string): Key => ({ pk: `RECEIVER#${who}`, sk: '#' });

/** An event has the same id at all its receivers, and an item of many attempts must stay small. */
function nameOf({ receiver, deliveryId }: AttemptPlace): string {
  const hash = createHash('sha256').update(`${receiver}#${deliveryId}`).digest('base64url');
  return hash.slice(0, NAME_LENGTH);
}

const roomFor = (most: number): Room => ({
  condition: ['size(in_flight) < :most'],
  values: { ':most': most },
  isIn: ({ in_flight: inFlight }) => Object.keys(inFlight).length < most,
});

const ofReceiver: Room = {
  condition: [
    '(size(in_flight) < :failing OR (attribute_not_exists(failing_since) AND size(in_flight) < :most))',
  ],
  values: { ':failing': MAX_WHILE_FAILING, ':most': MAX_AT_ONCE },
  isIn: ({ in_flight: inFlight, failing_since: since }) =>
    Object.keys(inFlight).length < (since === undefined ? MAX_AT_ONCE : MAX_WHILE_FAILING),
};

/** The time to live of an item, from its last use. */
const expiry = (now: Date) => z.encode(epochSeconds, addMs(now, RETENTION_MS));

const placed = (name: string, until: Date): Write => ({
  condition: ['attribute_exists(in_flight)', 'attribute_not_exists(in_flight.#attempt)'],
  set: ['in_flight.#attempt = :until'],
  values: { ':until': until.getTime() },
  names: { '#attempt': name },
});

/** Frees the place with this end, but no later place of the same attempt. */
const freed = (name: string, until: number): Write => ({
  condition: ['in_flight.#attempt = :until'],
  remove: ['in_flight.#attempt'],
  values: { ':until': until },
  names: { '#attempt': name },
});

const left = (name: string, now: Date): Write => ({
  condition: ['attribute_exists(in_flight)'],
  set: ['expires_at = :expires'],
  remove: ['in_flight.#attempt'],
  values: { ':expires': expiry(now) },
  names: { '#attempt': name },
});

/** The receiver's new average, and whether it fails. */
const noted = ({ isSuccess, averageMs }: EndedAttempt, now: Date): Write =>
  isSuccess
    ? { set: ['average_ms = :average'], remove: ['failing_since'], values: { ':average': averageMs } }
    : {
        set: ['average_ms = :average', 'failing_since = if_not_exists(failing_since, :now)'],
        values: { ':average': averageMs, ':now': now.getTime() },
      };
