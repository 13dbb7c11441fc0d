import type { DeliveriesQuery, Delivery, Endpoint } from '../../contract/webhooks/webhook.ts';
import { cursorOf, readCursor } from '../../domain/cursor.ts';
import { redelivered } from '../../domain/webhooks/state.ts';
import { AppError } from '../../errors.ts';
import type { Effects } from '../../ports/effects.ts';
import { isEndpointId, sendTo } from './emit-event.ts';

export type DeliveryNeeds = Pick<Effects, 'deliveries' | 'notifierQueue' | 'now' | 'newId'>;

/** Deliveries to an endpoint, newest first. Throws `invalid_request` for a cursor that never was one. */
export async function listDeliveries(
  { deliveries, now }: Pick<DeliveryNeeds, 'deliveries' | 'now'>,
  { orgId, id }: Pick<Endpoint, 'orgId' | 'id'>,
  { limit, cursor }: DeliveriesQuery,
): Promise<{ deliveries: Delivery[]; nextCursor?: string }> {
  const before = cursor === undefined ? undefined : readCursor(cursor, isEndpointId);
  const page = await deliveries.list(orgId, id, { before, limit });
  const visible = page.deliveries.filter(({ expiresAt }) => expiresAt > now());
  return { deliveries: visible, ...(page.next !== undefined && { nextCursor: cursorOf(page.next) }) };
}

/** Sends an event again, under the same id. Throws `not_found` and `webhook_disabled`. */
export async function redeliver(fx: DeliveryNeeds, endpoint: Endpoint, id: string): Promise<Delivery> {
  assertEnabled(endpoint);
  for (;;) {
    const found = await findDelivery(fx, endpoint, id);
    const again = redelivered(found, fx.now());
    if (!(await fx.deliveries.replace(found, again))) continue;
    await fx.notifierQueue.deliver(again).catch(() => undefined);
    return again;
  }
}

/** Sends an event that says nothing. Throws `webhook_disabled`. */
export async function sendTest(fx: DeliveryNeeds, endpoint: Endpoint): Promise<Delivery> {
  assertEnabled(endpoint);
  if (endpoint.url === undefined)
    throw new AppError('invalid_request', {
      message: 'The endpoint "default" has no URL of its own. Submit a job with a webhook instead.',
      fields: { param: 'webhook_id' },
    });
  const { orgId, id: endpointId } = endpoint;
  const data = { webhook_id: endpointId };
  const event = { type: 'webhook.test', orgId, subject: fx.newId(), at: fx.now(), data };
  return sendTo(fx, event, { endpointId });
}

async function findDelivery(
  fx: DeliveryNeeds,
  { orgId, id: endpointId }: Endpoint,
  id: string,
): Promise<Delivery> {
  const found = await fx.deliveries.find({ orgId, endpointId, id });
  if (found === undefined || found.expiresAt <= fx.now())
    throw new AppError('not_found', { message: 'There is no such delivery.' });
  return found;
}

function assertEnabled({ disabled }: Endpoint): void {
  if (disabled !== undefined) throw new AppError('webhook_disabled');
}
