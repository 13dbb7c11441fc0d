import { z } from 'zod';
import { epochSeconds } from '../../contract/time.ts';
import { MOST_AT_ONCE, MOST_WHILE_FAILING } from '../../domain/webhook/receiver.ts';
import type { Begun, Receivers } from '../../webhook-ports.ts';
import type { TableOptions } from './conditional-table.ts';
import { sortedTable } from './sorted-table.ts';

const RETENTION_MS = 30 * 24 * 60 * 60 * 1_000;
/** Each round meets a change by another process. */
const MAX_ROUNDS = 20;

const Receiver = z.object({
  /** When the place of each attempt ends, unix milliseconds, by delivery. */
  in_flight: z.record(z.string(), z.int()),
  failing_since: z.int().optional(),
});

/** The Receivers port on the table of webhooks: an item for each receiver. */
export function dynamodbReceivers(options: TableOptions): Receivers {
  const items = sortedTable(options);
  const keyOf = (receiver: string) => ({ pk: `RECEIVER#${receiver}`, sk: '#' });
  const find = async (receiver: string) => {
    const item = await items.get(keyOf(receiver));
    return item && Receiver.parse(item);
  };
  const free = (receiver: string, deliveryId: string, until: number) =>
    items.update(keyOf(receiver), {
      UpdateExpression: 'REMOVE in_flight.#delivery',
      ConditionExpression: 'in_flight.#delivery = :until',
      ExpressionAttributeNames: { '#delivery': deliveryId },
      ExpressionAttributeValues: { ':until': until },
    });

  return {
    begin: async (receiver, deliveryId, until, now) => {
      for (let round = 0; round < MAX_ROUNDS; round++) {
        if (await items.update(keyOf(receiver), placed(deliveryId, until))) return { outcome: 'begun' };
        const stored = await find(receiver);
        if (stored === undefined) {
          await items.add({ ...keyOf(receiver), in_flight: {}, expires_at: expiry(now) });
          continue;
        }
        const lapsed = Object.entries(stored.in_flight).filter(([, ends]) => ends <= now.getTime());
        if (lapsed.length === 0 && deliveryId in stored.in_flight) return { outcome: 'taken' };
        if (lapsed.length === 0) return stored.failing_since === undefined ? FULL : FAILING;
        for (const [id, ends] of lapsed) await free(receiver, id, ends);
      }
      return FULL;
    },

    end: async (receiver, deliveryId, isSuccess, now) => {
      await items.update(keyOf(receiver), ended(deliveryId, isSuccess, now));
      const since = isSuccess ? undefined : (await find(receiver))?.failing_since;
      return since === undefined ? undefined : new Date(since);
    },
  };
}

const expiry = (now: Date) => z.encode(epochSeconds, new Date(now.getTime() + RETENTION_MS));

const FULL: Begun = { outcome: 'full', isFailing: false };
const FAILING: Begun = { outcome: 'full', isFailing: true };

function placed(deliveryId: string, until: Date) {
  return {
    UpdateExpression: 'SET in_flight.#delivery = :until',
    ConditionExpression:
      'attribute_exists(in_flight) AND attribute_not_exists(in_flight.#delivery) AND ' +
      '(size(in_flight) < :failing OR (attribute_not_exists(failing_since) AND size(in_flight) < :most))',
    ExpressionAttributeNames: { '#delivery': deliveryId },
    ExpressionAttributeValues: {
      ':until': until.getTime(),
      ':failing': MOST_WHILE_FAILING,
      ':most': MOST_AT_ONCE,
    },
  };
}

function ended(deliveryId: string, isSuccess: boolean, now: Date) {
  const since = 'failing_since = if_not_exists(failing_since, :now)';
  const also = isSuccess ? ', failing_since' : '';
  return {
    UpdateExpression: `SET expires_at = :expires${isSuccess ? '' : `, ${since}`} REMOVE in_flight.#delivery${also}`,
    ConditionExpression: 'attribute_exists(in_flight)',
    ExpressionAttributeNames: { '#delivery': deliveryId },
    ExpressionAttributeValues: { ':expires': expiry(now), ...(!isSuccess && { ':now': now.getTime() }) },
  };
}
