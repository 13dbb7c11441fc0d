import { change, entriesOf, get, remove } from './calls.ts';
import type { CallOptions, Transport } from './transport.ts';
import type { Delivery, NewWebhook, Webhook, WebhookChange, WebhookWithSecret } from './types.ts';
import { verifyWebhook } from './verify-webhook.ts';

export type Webhooks = ReturnType<typeof webhooksOf>;

const PATH = '/api/v1/webhooks';

/** Endpoints that receive events, and the check of what they receive. */
export function webhooksOf(transport: Transport) {
  const deliveriesAt = (webhookId: string) => `${PATH}/${webhookId}/deliveries`;
  return {
    verify: verifyWebhook,
    create: (webhook: NewWebhook, options?: CallOptions) =>
      change<WebhookWithSecret>(transport, PATH, { ...options, body: webhook }),
    get: (webhookId: string, options?: CallOptions) =>
      get<Webhook>(transport, `${PATH}/${webhookId}`, options),
    list: (options?: CallOptions) => entriesOf<Webhook>(transport, PATH, options),
    update: (webhookId: string, body: WebhookChange, options?: CallOptions) =>
      change<Webhook>(transport, `${PATH}/${webhookId}`, { ...options, method: 'PATCH', body }),
    delete: (webhookId: string, options?: CallOptions) => remove(transport, `${PATH}/${webhookId}`, options),
    test: (webhookId: string, options?: CallOptions) =>
      change<Delivery>(transport, `${PATH}/${webhookId}/test`, options),
    rotateSecret: (webhookId: string, options?: CallOptions) =>
      change<WebhookWithSecret>(transport, `${PATH}/${webhookId}/rotate_secret`, options),
    deliveries: (webhookId: string, options?: CallOptions) =>
      entriesOf<Delivery>(transport, deliveriesAt(webhookId), options),
    redeliver: (webhookId: string, deliveryId: string, options?: CallOptions) =>
      change<Delivery>(transport, `${deliveriesAt(webhookId)}/${deliveryId}/redeliver`, options),
  };
}
