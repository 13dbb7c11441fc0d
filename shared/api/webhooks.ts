import type { ErrorCode } from '../errors.ts';
import { DeliveriesQuery } from '../contract/webhooks/webhook.ts';
import { ofBody, ofCaller } from './error-groups.ts';
import { jsonOf, metered } from './openapi/media.ts';
import { deliveryId, inQuery, webhookId } from './openapi/parameters.ts';
import {
  changes,
  deliveries,
  delivery,
  newWebhooks,
  webhook,
  webhookList,
  withSecret,
} from './openapi/webhook-examples.ts';
import type { Route } from './route.ts';

const WEBHOOKS = '/api/v1/webhooks';
const WEBHOOK = `${WEBHOOKS}/{webhook_id}`;

const common = { function: 'webhooks', auth: 'key', bucket: 'read', tag: 'Webhooks' } as const;
/** Each has a receiver called, which may be slow. */
const sends = { ...common, bucket: 'send' } as const;
const LIMIT = 'An organization may send 30 test events and redeliveries a minute.';
const ofOne: ErrorCode[] = [...ofCaller, 'not_found', 'busy'];

export const webhookRoutes = [
  {
    ...common,
    method: 'POST',
    path: WEBHOOKS,
    operationId: 'createWebhook',
    summary: 'Create an endpoint',
    description:
      'The endpoint receives events from now on. Only this response contains the secret that verifies them. An organization has up to 20 endpoints.',
    body: jsonOf('NewWebhook', newWebhooks),
    parameters: [],
    responses: {
      201: metered('The endpoint and its secret.', ['Location'], jsonOf('WebhookWithSecret', withSecret)),
    },
    errors: [...ofCaller, ...ofBody, 'url_not_allowed', 'too_many_webhooks', 'busy'],
  },
  {
    ...common,
    method: 'GET',
    path: WEBHOOKS,
    operationId: 'listWebhooks',
    summary: 'List endpoints',
    description: "The organization's endpoints.",
    parameters: [],
    responses: { 200: metered('All endpoints.', [], jsonOf('WebhookList', webhookList)) },
    errors: [...ofCaller, 'busy'],
  },
  {
    ...common,
    method: 'GET',
    path: WEBHOOK,
    operationId: 'getWebhook',
    summary: 'Get an endpoint',
    description: 'Shows whether the endpoint is enabled and, if not, who disabled it.',
    parameters: [webhookId],
    responses: { 200: metered('The endpoint.', [], jsonOf('Webhook', webhook)) },
    errors: ofOne,
  },
  {
    ...common,
    method: 'PATCH',
    path: WEBHOOK,
    operationId: 'updateWebhook',
    summary: 'Change an endpoint',
    description:
      'Changes only the fields sent. `enabled: true` also enables an endpoint disabled by failures.',
    body: jsonOf('WebhookChange', changes),
    parameters: [webhookId],
    responses: { 200: metered('The changed endpoint.', [], jsonOf('Webhook', webhook)) },
    errors: [...ofOne, ...ofBody, 'url_not_allowed'],
  },
  {
    ...common,
    method: 'DELETE',
    path: WEBHOOK,
    operationId: 'deleteWebhook',
    summary: 'Delete an endpoint',
    description: 'Deletes the endpoint. Pending events for it are given up.',
    parameters: [webhookId],
    responses: { 204: metered('The endpoint is gone.', []) },
    errors: ofOne,
  },
  {
    ...sends,
    method: 'POST',
    path: `${WEBHOOK}/test`,
    operationId: 'testWebhook',
    summary: 'Send a test event',
    description: `Sends an event of type \`webhook.test\`, even if the endpoint has not chosen that type. ${LIMIT}`,
    parameters: [webhookId],
    responses: { 202: metered('The event is queued.', [], jsonOf('Delivery', delivery)) },
    errors: [...ofOne, 'webhook_disabled'],
  },
  {
    ...common,
    method: 'POST',
    path: `${WEBHOOK}/rotate_secret`,
    operationId: 'rotateWebhookSecret',
    summary: 'Replace the secret',
    description:
      'For 24 hours the old and new secrets both sign. For `default`, this is how you get the secret that signs events to bare URLs.',
    parameters: [webhookId],
    responses: {
      200: metered('The endpoint and its new secret.', [], jsonOf('WebhookWithSecret', withSecret)),
    },
    errors: ofOne,
  },
  {
    ...common,
    method: 'GET',
    path: `${WEBHOOK}/deliveries`,
    operationId: 'listDeliveries',
    takesPlace: true,
    summary: 'List deliveries',
    description: 'The events sent to an endpoint in the last 30 days with every attempt, newest first.',
    parameters: [webhookId, ...inQuery(DeliveriesQuery)],
    responses: { 200: metered('A page of the list.', ['Link'], jsonOf('DeliveryList', deliveries)) },
    errors: [...ofOne, 'too_many_concurrent'],
  },
  {
    ...sends,
    method: 'POST',
    path: `${WEBHOOK}/deliveries/{delivery_id}/redeliver`,
    operationId: 'redeliver',
    summary: 'Send an event again',
    description: `The same event under the same \`webhook-id\`, with a new schedule of retries. ${LIMIT}`,
    parameters: [webhookId, deliveryId],
    responses: { 202: metered('The event is queued.', [], jsonOf('Delivery', delivery)) },
    errors: [...ofOne, 'webhook_disabled'],
  },
] as const satisfies readonly Route[];
