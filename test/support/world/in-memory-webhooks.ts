import { setTimeout } from 'node:timers/promises';
import { v7 } from 'uuid';
import type { Delivery, Endpoint } from '../../../shared/contract/webhooks/webhook.ts';
import { isCrowded, MAX_AT_ONCE, MAX_WHILE_FAILING } from '../../../shared/domain/webhooks/receiver.ts';
import type { ErrorCode } from '../../../shared/errors.ts';
import type { Inbox } from '../../../shared/ports/jobs.ts';
import type {
  AttemptPlace,
  Deliveries,
  DeliveryKey,
  NotifierQueue,
  Post,
  Receivers,
  Vault,
  Webhooks,
} from '../../../shared/ports/webhooks.ts';
import type { NotifierMessage } from '../../../shared/contract/scrape/messages.ts';
import { step } from './step.ts';

/** The Webhooks port in memory. */
export function inMemoryWebhooks(): Webhooks {
  const endpoints = new Map<string, Endpoint>();
  const nameOf = (orgId: string, id: string) => `${orgId}#${id}`;
  return {
    add: (endpoint) => step(() => addTo(endpoints, nameOf(endpoint.orgId, endpoint.id), endpoint)),
    find: (orgId, id) => step(() => endpoints.get(nameOf(orgId, id))),
    list: (orgId) =>
      step(() =>
        [...endpoints.values()]
          .filter((endpoint) => endpoint.orgId === orgId)
          .sort((a, b) => (a.id < b.id ? -1 : 1)),
      ),
    replace: (before, after) =>
      step(() => replaceIn(endpoints, nameOf(before.orgId, before.id), before, after)),
    remove: (orgId, id) => step(() => void endpoints.delete(nameOf(orgId, id))),
  };
}

/** The Deliveries port in memory. */
export function inMemoryDeliveries(): Deliveries & { all: () => Delivery[] } {
  const stored = new Map<string, Delivery>();
  const nameOf = ({ orgId, endpointId, id }: DeliveryKey) => `${orgId}#${endpointId}#${id}`;
  return {
    all: () => [...stored.values()],
    add: (delivery) => step(() => addTo(stored, nameOf(delivery), delivery)),
    find: (key) => step(() => stored.get(nameOf(key))),
    replace: (before, after) => step(() => replaceIn(stored, nameOf(before), before, after)),
    list: (orgId, endpointId, { before = '~', limit }) =>
      step(() => {
        const found = [...stored.values()].filter(
          (each) => each.orgId === orgId && each.endpointId === endpointId && each.id < before,
        );
        const deliveries = found.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, limit);
        const next = deliveries.length < found.length ? deliveries.at(-1)?.id : undefined;
        return { deliveries, ...(next && { next }) };
      }),
    due: (now, limit) =>
      step(() =>
        [...stored.values()].filter(({ dueAt }) => dueAt !== undefined && dueAt <= now).slice(0, limit),
      ),
  };
}

/** Less than three receivers may have, in both worlds. */
export const ATTEMPTS_PER_ORGANIZATION = 25;

type Attempts = { inFlight: Map<string, number>; failingSince?: Date | undefined; averageMs: number };

/** The Receivers port in memory. */
export function inMemoryReceivers(): Receivers {
  const known = new Map<string, Attempts>();
  const of = (name: string, now?: Date): Attempts => {
    const attempts = known.get(name) ?? { inFlight: new Map<string, number>(), averageMs: 0 };
    known.set(name, attempts);
    for (const [id, ends] of attempts.inFlight)
      if (now && ends <= now.getTime()) attempts.inFlight.delete(id);
    return attempts;
  };
  const nameOf = ({ receiver, deliveryId }: AttemptPlace) => `${receiver}#${deliveryId}`;
  return {
    begin: (place, until, now) =>
      step(() => {
        const [organization, receiver] = [of(place.orgId, now), of(place.receiver, now)];
        const name = nameOf(place);
        if (receiver.inFlight.has(name)) return { outcome: 'taken' };
        const most = receiver.failingSince ? MAX_WHILE_FAILING : MAX_AT_ONCE;
        const { size } = organization.inFlight;
        if (size >= ATTEMPTS_PER_ORGANIZATION || receiver.inFlight.size >= most) return { outcome: 'full' };
        for (const { inFlight } of [organization, receiver]) inFlight.set(name, until.getTime());
        const { averageMs } = receiver;
        return { outcome: 'begun', averageMs, isCrowded: isCrowded(size + 1, ATTEMPTS_PER_ORGANIZATION) };
      }),
    end: (place, { isSuccess, averageMs }, now) =>
      step(() => {
        const receiver = of(place.receiver);
        for (const { inFlight } of [of(place.orgId), receiver]) inFlight.delete(nameOf(place));
        receiver.averageMs = averageMs;
        receiver.failingSince = isSuccess ? undefined : (receiver.failingSince ?? now);
        return receiver.failingSince;
      }),
  };
}

type InMemoryNotices = NotifierQueue & { inbox: Inbox; take: () => NotifierMessage[] };

/** The Notices port in memory: `take` returns the messages that have arrived since the last call. */
export function inMemoryNotices(now: () => Date): InMemoryNotices {
  let sent: { message: NotifierMessage; at: number }[] = [];
  const send = (message: NotifierMessage, delaySeconds = 0) =>
    step(() => void sent.push({ message, at: now().getTime() + delaySeconds * 1_000 }));
  const take = (most = Infinity) => {
    const arrived = sent.filter(({ at }) => at <= now().getTime()).slice(0, most);
    sent = sent.filter((each) => !arrived.includes(each));
    return arrived.map(({ message }) => message);
  };
  return {
    deliver: ({ orgId, endpointId, id }, delaySeconds) => send({ orgId, endpointId, id }, delaySeconds),
    credits: (orgId) => send({ creditsOf: orgId }),
    take: () => take(),
    inbox: inMemoryInbox(take),
  };
}

/** The Inbox port in memory, over what takes messages out of a queue. */
export function inMemoryInbox(take: (most: number) => object[]): Inbox {
  return {
    receive: async (most) => {
      await setTimeout(1);
      return take(most).map((message) => ({
        messageId: v7(),
        receiptHandle: '',
        body: JSON.stringify(message),
      }));
    },
    remove: () => Promise.resolve(),
  };
}

/** The Vault port in memory. */
export function inMemoryVault(): Vault {
  const prefixOf = ({ orgId, id }: Pick<Endpoint, 'orgId' | 'id'>) => `${orgId}#${id}#`;
  return {
    seal: (secret, owner) => step(() => Buffer.from(prefixOf(owner) + secret).toString('base64')),
    open: (sealed, owner) =>
      step(() => {
        const text = Buffer.from(sealed, 'base64').toString();
        if (!text.startsWith(prefixOf(owner))) throw new Error('This was sealed for another endpoint.');
        return text.slice(prefixOf(owner).length);
      }),
  };
}

export type Received = Parameters<Post>[0];
/** What each receiver does, by URL: a status, or why there is no response. */
export type Answers = Record<string, number | ErrorCode>;

/** The Post port to receivers in memory, which keep what they receive. */
export function inMemoryPost(answers: Answers, received: Received[]): Post {
  return (request) =>
    step(() => {
      received.push(request);
      const answer = answers[request.url] ?? 'dns_failed';
      return typeof answer === 'number' ? { status: answer } : { error: answer };
    });
}

function addTo<T>(map: Map<string, T>, name: string, item: T): boolean {
  if (map.has(name)) return false;
  map.set(name, item);
  return true;
}

type Versioned = { version: number };

function replaceIn<T extends Versioned>(map: Map<string, T>, name: string, before: T, after: T): boolean {
  const isSame = map.get(name)?.version === before.version;
  if (isSame) map.set(name, after);
  return isSame;
}
