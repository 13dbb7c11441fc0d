import { DEFAULT_ENDPOINT, type Endpoint, EndpointId, EventType } from '../../contract/webhooks/webhook.ts';
import type { WebhookEvent } from '../../domain/webhooks/event.ts';
import { newDelivery, type DeliveryTarget } from '../../domain/webhooks/state.ts';
import type { Effects } from '../../ports/effects.ts';

type Needs = Pick<Effects, 'webhooks' | 'deliveries' | 'notifierQueue' | 'now'>;

/**
 * Sends an event to every endpoint that receives its type, and to `webhook`, a URL or an endpoint's id. The
 * deliveries are stored before it returns; emitting the same event again changes nothing.
 */
export async function emitEvent(fx: Needs, event: WebhookEvent, webhook?: string): Promise<void> {
  const endpoints = await fx.webhooks.list(event.orgId);
  const targets: DeliveryTarget[] = endpoints
    .filter((endpoint) => endpoint.disabled === undefined)
    .filter((endpoint) => receives(endpoint, event.type) || endpoint.id === webhook)
    .map(({ id }) => ({ endpointId: id }));
  if (webhook !== undefined && !isEndpointId(webhook))
    targets.push({ endpointId: DEFAULT_ENDPOINT, url: webhook });
  await Promise.all(targets.map((target) => sendTo(fx, event, target)));
}

/** Whether a `webhook` is the id of an endpoint, not a URL. */
export const isEndpointId = (webhook: string) => EndpointId.safeParse(webhook).success;

const receives = ({ events }: Endpoint, type: string) =>
  events.some((each) => each === EventType.safeParse(type).data);

/** Sends one event to one endpoint. */
export async function sendTo(fx: Omit<Needs, 'webhooks'>, event: WebhookEvent, target: DeliveryTarget) {
  const delivery = newDelivery(event, target, fx.now());
  await fx.deliveries.add(delivery);
  // A stored delivery is sent even without its message, by the next sweep.
  await fx.notifierQueue.deliver(delivery).catch(() => undefined);
  return delivery;
}
