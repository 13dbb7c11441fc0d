import type { Delivery, Endpoint } from '../../shared/contract/webhook.ts';
import { MOST_AT_ONCE, MOST_WHILE_FAILING } from '../../shared/domain/webhook/receiver.ts';
import type { ErrorCode } from '../../shared/errors.ts';
import type {
  Deliveries,
  DeliveryKey,
  Notices,
  Post,
  Receivers,
  Vault,
  Webhooks,
} from '../../shared/webhook-ports.ts';
import type { NoticeMessage } from '../../shared/contract/messages.ts';
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

type Receiver = { inFlight: Map<string, number>; failingSince?: Date | undefined };

/** The Receivers port in memory. */
export function inMemoryReceivers(): Receivers {
  const receivers = new Map<string, Receiver>();
  const of = (name: string): Receiver => {
    const receiver = receivers.get(name) ?? { inFlight: new Map<string, number>() };
    receivers.set(name, receiver);
    return receiver;
  };
  return {
    begin: (name, deliveryId, until, now) =>
      step(() => {
        const { inFlight, failingSince } = of(name);
        for (const [id, ends] of inFlight) if (ends <= now.getTime()) inFlight.delete(id);
        if (inFlight.has(deliveryId)) return { outcome: 'taken' };
        const isFailing = failingSince !== undefined;
        if (inFlight.size >= (isFailing ? MOST_WHILE_FAILING : MOST_AT_ONCE))
          return { outcome: 'full', isFailing };
        inFlight.set(deliveryId, until.getTime());
        return { outcome: 'begun' };
      }),
    end: (name, deliveryId, isSuccess, now) =>
      step(() => {
        const receiver = of(name);
        receiver.inFlight.delete(deliveryId);
        receiver.failingSince = isSuccess ? undefined : (receiver.failingSince ?? now);
        return receiver.failingSince;
      }),
  };
}

/** The Notices port in memory: `take` returns the messages that have arrived since the last call. */
export function inMemoryNotices(now: () => Date): Notices & { take: () => NoticeMessage[] } {
  let sent: { message: NoticeMessage; at: number }[] = [];
  const send = (message: NoticeMessage, delaySeconds = 0) =>
    step(() => void sent.push({ message, at: now().getTime() + delaySeconds * 1_000 }));
  return {
    deliver: ({ orgId, endpointId, id }, delaySeconds) => send({ orgId, endpointId, id }, delaySeconds),
    credits: (orgId) => send({ creditsOf: orgId }),
    take: () => {
      const arrived = sent.filter(({ at }) => at <= now().getTime());
      sent = sent.filter(({ at }) => at > now().getTime());
      return arrived.map(({ message }) => message);
    },
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
