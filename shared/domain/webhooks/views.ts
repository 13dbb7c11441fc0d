import type { Delivery, DeliveryView, Endpoint, WebhookView } from '../../contract/webhooks/webhook.ts';
import { snakeKeys } from '../../contract/case.ts';

/** An endpoint as its caller sees it, without secrets. */
export function webhookView(endpoint: Endpoint): WebhookView {
  const { id, url, description, events, disabled, createdAt, secrets } = endpoint;
  const old = secrets[1]?.until;
  return snakeKeys({
    webhookId: id,
    url,
    description,
    events,
    enabled: disabled === undefined,
    disabledBy: disabled?.by,
    disabledAt: disabled?.at.toISOString(),
    createdAt: createdAt.toISOString(),
    oldSecretUntil: old?.toISOString(),
  });
}

/** A delivery as its caller sees it, without its body. */
export function deliveryView(delivery: Delivery): DeliveryView {
  const { id, type, subject, url, status, createdAt, nextAttemptAt, expiresAt, attempts } = delivery;
  return snakeKeys({
    deliveryId: id,
    type,
    subject,
    url,
    status,
    createdAt: createdAt.toISOString(),
    nextAttemptAt: nextAttemptAt?.toISOString(),
    expiresAt: expiresAt.toISOString(),
    attempts: attempts.map(({ at, ...attempt }) => ({ at: at.toISOString(), ...attempt })),
  });
}
