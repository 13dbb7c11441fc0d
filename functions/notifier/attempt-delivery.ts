import type { Attempt, Delivery, Endpoint } from '../../shared/contract/webhook.ts';
import { DEFAULT_ENDPOINT } from '../../shared/contract/webhook.ts';
import { receiverOf } from '../../shared/domain/webhook/receiver.ts';
import { spread } from '../../shared/domain/webhook/schedule.ts';
import { signedHeaders } from '../../shared/domain/webhook/signature.ts';
import {
  abandoned,
  attempted,
  disabledBy,
  isSuccess,
  messageDelay,
  postponed,
  signingSecrets,
} from '../../shared/domain/webhook/state.ts';
import type { Trail } from '../../shared/observe/trail.ts';
import type { Effects } from '../../shared/ports.ts';
import { defaultEndpoint } from '../../shared/use-cases/default-endpoint.ts';
import type { DeliveryKey } from '../../shared/webhook-ports.ts';

export type Needs = Pick<
  Effects,
  'webhooks' | 'deliveries' | 'receivers' | 'notices' | 'vault' | 'post' | 'count' | 'now'
>;

/** Longer than an attempt can take: the place of a dead process is free from then on. */
const PLACE_MS = 45_000;
/** Clocks of two environments differ by less. */
const CLOCKS_MS = 2_000;
/** A place is free again after about this long, and the message returns. */
const TURN_SECONDS = 2;

/** Safe to run twice, concurrently, and to be killed after any line: the delivery is attempted again. */
export async function attemptDelivery(fx: Needs, key: DeliveryKey, trail: Trail): Promise<void> {
  const delivery = await fx.deliveries.find(key);
  const { nextAttemptAt } = delivery ?? {};
  if (delivery === undefined || nextAttemptAt === undefined) return;
  // The message of an earlier schedule. Another one follows.
  if (nextAttemptAt.getTime() - fx.now().getTime() > CLOCKS_MS) return;
  const endpoint = await endpointOf(fx, delivery);
  const url = delivery.url ?? endpoint?.url;
  if (endpoint === undefined || url === undefined || endpoint.disabled) {
    await fx.deliveries.replace(delivery, abandoned(delivery));
    return;
  }
  trail.note({ event: delivery.type, host: URL.parse(url)?.host, attempt: delivery.tries + 1 });
  const receiver = receiverOf(delivery);
  const now = fx.now();
  const begun = await fx.receivers.begin(receiver, delivery.id, new Date(now.getTime() + PLACE_MS), now);
  if (begun.outcome === 'taken') return;
  if (begun.outcome === 'full') return wait(fx, delivery, begun.isFailing);
  const attempt = await attemptAt(fx, url, endpoint, delivery);
  trail.note({ status: attempt.status ?? attempt.error });
  fx.count('DeliverySucceeded', isSuccess(attempt) ? 1 : 0);
  await keep(fx, { delivery, endpoint, attempt, receiver });
}

const endpointOf = (fx: Needs, { orgId, endpointId }: Delivery): Promise<Endpoint | undefined> =>
  endpointId === DEFAULT_ENDPOINT ? defaultEndpoint(fx, orgId) : fx.webhooks.find(orgId, endpointId);

/** Others at the same receiver come first. */
async function wait(fx: Needs, delivery: Delivery, isFailing: boolean): Promise<void> {
  const isLate = (delivery.dueAt ?? fx.now()) <= fx.now();
  // While a receiver fails no place may become free for long, and a sweep is cheaper than messages.
  if (isFailing || isLate) await fx.deliveries.replace(delivery, postponed(delivery, fx.now()));
  else await fx.notices.deliver(delivery, TURN_SECONDS + Math.floor(TURN_SECONDS * spread(delivery.id, 0)));
}

async function attemptAt(fx: Needs, url: string, endpoint: Endpoint, delivery: Delivery): Promise<Attempt> {
  const sealed = signingSecrets(endpoint, fx.now());
  const secrets = await Promise.all(sealed.map((each) => fx.vault.open(each.sealed, endpoint)));
  const at = fx.now();
  const { id, body } = delivery;
  const ended = await fx.post({ url, headers: signedHeaders({ id, body, secrets }, at), body });
  return { at, ms: fx.now().getTime() - at.getTime(), ...ended };
}

type Attempted = { delivery: Delivery; endpoint: Endpoint; attempt: Attempt; receiver: string };

/** Writes the attempt, frees its place, then sends the message of the next one. */
async function keep(fx: Needs, { delivery, endpoint, attempt, receiver }: Attempted): Promise<void> {
  const next = attempted(delivery, attempt);
  const isKept = await fx.deliveries.replace(delivery, next);
  const failingSince = await fx.receivers.end(receiver, delivery.id, isSuccess(attempt), fx.now());
  const delay = isKept ? messageDelay(next, fx.now()) : undefined;
  // Without the message, the sweep finds it.
  if (delay !== undefined) await fx.notices.deliver(next, delay).catch(() => undefined);
  const disabled = disabledBy(endpoint, attempt, failingSince);
  if (disabled && (await fx.webhooks.replace(endpoint, disabled))) fx.count('WebhooksDisabled', 1);
}
