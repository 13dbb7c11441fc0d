import { createHash } from 'node:crypto';
import { isCrowded, MOST_AT_ONCE, MOST_WHILE_FAILING } from '../../../domain/webhooks/receiver.ts';
import type { AttemptPlace, EndedAttempt, Receivers } from '../../../ports/webhooks.ts';
import { attemptPlaces, expiry, type Key, type Room } from './attempt-places.ts';
import type { TableOptions } from '../conditional-table.ts';

const NAME_LENGTH = 16;

type Options = TableOptions & { attemptsPerOrganization: number };

/** The Receivers port on the table of webhooks: an item for each organization, and for each receiver. */
export function dynamodbReceivers({ attemptsPerOrganization, ...options }: Options): Receivers {
  const places = attemptPlaces(options);
  const ofOrganization = roomFor(attemptsPerOrganization);

  return {
    begin: async (place, until, now) => {
      const [name, organization, receiver] = [nameOf(place), keyOf(place.orgId), keyOf(place.receiver)];
      const inAll = await places.take(organization, name, ofOrganization, { until, now });
      if (typeof inAll === 'string') return { outcome: inAll };
      const there = await places.take(receiver, name, ofReceiver, { until, now });
      if (typeof there === 'string') {
        await places.free(organization, name, until.getTime());
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
      await places.update(receiver, receiverAfter(name, ended, now));
      await places.update(organization, organizationAfter(name, now));
      const since = ended.isSuccess ? undefined : (await places.find(receiver))?.failing_since;
      return since === undefined ? undefined : new Date(since);
    },
  };
}

const keyOf = (who: string): Key => ({ pk: `RECEIVER#${who}`, sk: '#' });

/** An event has the same id at all its receivers, and an item of many attempts must stay small. */
function nameOf({ receiver, deliveryId }: AttemptPlace): string {
  const hash = createHash('sha256').update(`${receiver}#${deliveryId}`).digest('base64url');
  return hash.slice(0, NAME_LENGTH);
}

const roomFor = (most: number): Room => ({
  condition: 'size(in_flight) < :most',
  values: { ':most': most },
  isIn: ({ in_flight: inFlight }) => Object.keys(inFlight).length < most,
});

const ofReceiver: Room = {
  condition:
    '(size(in_flight) < :failing OR (attribute_not_exists(failing_since) AND size(in_flight) < :most))',
  values: { ':failing': MOST_WHILE_FAILING, ':most': MOST_AT_ONCE },
  isIn: ({ in_flight: inFlight, failing_since: since }) =>
    Object.keys(inFlight).length < (since === undefined ? MOST_AT_ONCE : MOST_WHILE_FAILING),
};

function receiverAfter(name: string, { isSuccess, averageMs }: EndedAttempt, now: Date) {
  const since = 'failing_since = if_not_exists(failing_since, :now)';
  const also = isSuccess ? ', failing_since' : '';
  const after = organizationAfter(name, now);
  return {
    ...after,
    UpdateExpression: `SET expires_at = :expires, average_ms = :average${isSuccess ? '' : `, ${since}`} REMOVE in_flight.#attempt${also}`,
    ExpressionAttributeValues: {
      ...after.ExpressionAttributeValues,
      ':average': averageMs,
      ...(!isSuccess && { ':now': now.getTime() }),
    },
  };
}

function organizationAfter(name: string, now: Date) {
  return {
    UpdateExpression: 'SET expires_at = :expires REMOVE in_flight.#attempt',
    ConditionExpression: 'attribute_exists(in_flight)',
    ExpressionAttributeNames: { '#attempt': name },
    ExpressionAttributeValues: { ':expires': expiry(now) },
  };
}
