import type { Attempt, Delivery, Endpoint, SealedSecret } from '../../contract/webhooks/webhook.ts';
import { eventBody, eventIdOf, type WebhookEvent } from './event.ts';
import { retryDelay } from './schedule.ts';
import { addMs, DAY_MS, MINUTE_MS, SECOND_MS } from '../../time/units.ts';
import { STALE_MS } from '../work/lease.ts';
import { expiryAfter } from '../work/retention.ts';
import { jitter } from '../work/jitter.ts';

/** After this, a message that has led to no attempt counts as lost. */
const LOST_MS = 2 * STALE_MS;
/** The shortest and longest wait of a delivery that finds no place. */
const [MIN_TURN_MS, MAX_TURN_MS] = [2 * SECOND_MS, 10 * MINUTE_MS];
/** Endpoints that have only failed for this long are disabled. */
const FAILING_MS = 5 * DAY_MS;
/** A replaced secret signs for this long. */
const GRACE_MS = DAY_MS;
/** Each adds a signature to every message. */
const MAX_OLD_SECRETS = 5;
const MAX_ATTEMPTS_KEPT = 20;
/** A message to the queue may be delayed for 900 seconds. */
const MAX_MESSAGE_DELAY_MS = 900 * SECOND_MS;

/** The endpoint that an event goes to; the default one with a URL. */
export type DeliveryTarget = { endpointId: string; url?: string | undefined };

export function newDelivery(event: WebhookEvent, { endpointId, url }: DeliveryTarget, now: Date): Delivery {
  return {
    id: eventIdOf(event),
    orgId: event.orgId,
    endpointId,
    url,
    type: event.type,
    subject: event.subject,
    body: event.body ? JSON.stringify(event.body) : eventBody(event),
    ...(event.part && { part: event.part }),
    status: 'pending',
    attempts: [],
    tries: 0,
    createdAt: event.at,
    nextAttemptAt: now,
    dueAt: addMs(now, LOST_MS),
    expiresAt: expiryAfter(now),
    version: 0,
  };
}

/** 2xx. */
export const isSuccess = ({ status = 0 }: Attempt) => status >= 200 && status < 300;
/** https://www.rfc-editor.org/rfc/rfc9110#section-15.5.11 */
const isGone = ({ status }: Attempt) => status === 410;

/** How an attempt leaves its delivery. */
export function attempted(delivery: Delivery, attempt: Attempt): Delivery {
  const tries = delivery.tries + 1;
  const next = {
    ...delivery,
    tries,
    attempts: [...delivery.attempts, attempt].slice(-MAX_ATTEMPTS_KEPT),
    version: delivery.version + 1,
  };
  if (isSuccess(attempt)) return ended(next, 'delivered');
  const delay = isGone(attempt) ? undefined : retryDelay(delivery.id, tries);
  if (delay === undefined) return ended(next, 'failed');
  const nextAttemptAt = addMs(attempt.at, attempt.ms + delay * SECOND_MS);
  // A later attempt than a message can wait for is left to the sweep.
  const isFar = delay * SECOND_MS > MAX_MESSAGE_DELAY_MS;
  return { ...next, nextAttemptAt, dueAt: isFar ? nextAttemptAt : addMs(nextAttemptAt, LOST_MS) };
}

/** Which documents an attempt has sent, up to a line of their part, and how the last of them ended. */
export type Sent = { passed: number; isAll: boolean; attempt: Attempt | undefined };

/** How an attempt leaves a delivery of documents, each of which has a whole schedule of attempts. */
export function advanced(delivery: Delivery, { passed, isAll, attempt }: Sent, now: Date): Delivery {
  const { part } = delivery;
  const isAhead = part !== undefined && passed > part.passed;
  const next = isAhead ? { ...delivery, tries: 0, part: { ...part, passed } } : delivery;
  // None of the lines had a document.
  if (attempt === undefined) return ended({ ...next, version: delivery.version + 1 }, 'delivered');
  if (isAll || !isSuccess(attempt)) return attempted(next, attempt);
  const attempts = [...next.attempts, attempt].slice(-MAX_ATTEMPTS_KEPT);
  return sent({ ...next, attempts, nextAttemptAt: now }, now);
}

/** Without an attempt: its endpoint is disabled or deleted. */
export function abandoned(delivery: Delivery): Delivery {
  return ended({ ...delivery, version: delivery.version + 1 }, 'failed');
}

function ended(delivery: Delivery, status: 'delivered' | 'failed'): Delivery {
  return { ...delivery, status, dueAt: undefined, nextAttemptAt: undefined };
}

/** Seconds to delay the message of the next attempt; undefined if the sweep sends it. */
export function messageDelay({ nextAttemptAt, dueAt }: Delivery, now: Date): number | undefined {
  if (nextAttemptAt === undefined || nextAttemptAt.getTime() === dueAt?.getTime()) return undefined;
  return Math.max(0, Math.ceil((nextAttemptAt.getTime() - now.getTime()) / SECOND_MS));
}

/** A message is on its way: the sweep looks again only if it is lost. */
export function sent(delivery: Delivery, at: Date): Delivery {
  return { ...delivery, dueAt: addMs(at, LOST_MS), version: delivery.version + 1 };
}

/**
 * Seconds until a delivery looks for a place again, because others of its organization or receiver have them
 * all. The longer it has waited, the longer it waits, so that thousands that wait cost little.
 */
export function turnDelay({ id, nextAttemptAt = new Date(0) }: Delivery, now: Date): number {
  const waitedMs = now.getTime() - nextAttemptAt.getTime();
  const ms = Math.min(Math.max(waitedMs, MIN_TURN_MS), MAX_TURN_MS);
  return Math.ceil((ms / SECOND_MS) * (1 + jitter(id, Math.floor(waitedMs / SECOND_MS)) / 2));
}

/** The delivery, if it is still waiting when the sweep would take its message to be lost. */
export function postponed(delivery: Delivery, seconds: number, now: Date): Delivery | undefined {
  const dueAt = addMs(now, seconds * SECOND_MS + LOST_MS / 2);
  if (delivery.dueAt !== undefined && delivery.dueAt >= dueAt) return undefined;
  return { ...delivery, dueAt: addMs(dueAt, LOST_MS / 2), version: delivery.version + 1 };
}

/** The same event again, with its own schedule. */
export function redelivered(delivery: Delivery, now: Date): Delivery {
  const { part } = delivery;
  const again = part && { part: { ...part, passed: 0 } };
  return sent({ ...delivery, ...again, status: 'pending', tries: 0, nextAttemptAt: now }, now);
}

/** The endpoint after an attempt, if that disables it. */
export function disabledBy(
  endpoint: Endpoint,
  attempt: Attempt,
  failingSince: Date | undefined,
): Endpoint | undefined {
  if (endpoint.disabled !== undefined || endpoint.url === undefined || isSuccess(attempt)) return undefined;
  if (isGone(attempt)) return changed(endpoint, { disabled: { by: 'gone', at: attempt.at } });
  const since = Math.max(failingSince?.getTime() ?? Infinity, endpoint.enabledAt.getTime());
  if (attempt.at.getTime() - since < FAILING_MS) return undefined;
  return changed(endpoint, { disabled: { by: 'failures', at: attempt.at } });
}

export function changed(endpoint: Endpoint, change: Partial<Endpoint>): Endpoint {
  return { ...endpoint, ...change, version: endpoint.version + 1 };
}

/** A secret signs for a day after it was replaced, unless five others have been since. */
export function withNewSecret(endpoint: Endpoint, sealed: string, now: Date): Endpoint {
  const old = signingSecrets(endpoint, now)
    .slice(0, MAX_OLD_SECRETS)
    .map((secret) => ({ ...secret, until: secret.until ?? addMs(now, GRACE_MS) }));
  return changed(endpoint, { secrets: [{ sealed }, ...old] });
}

/** The secrets that sign now. */
export function signingSecrets({ secrets }: Pick<Endpoint, 'secrets'>, now: Date): SealedSecret[] {
  return secrets.filter(({ until }) => until === undefined || until > now);
}
