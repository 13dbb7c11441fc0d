import {
  type Endpoint,
  NewWebhook,
  WebhookChange,
  type WebhookWithSecret,
  DeliveriesQuery,
} from '../../shared/contract/webhooks/webhook.ts';
import { webhookView, deliveryView } from '../../shared/domain/webhooks/views.ts';
import type { AuthenticatedCall } from '../../shared/http/call.ts';
import { json } from '../../shared/http/reply.ts';
import type { Operations } from '../../shared/http/respond.ts';
import type { Effects } from '../../shared/ports/effects.ts';
import { readBody } from '../../shared/request/read-body.ts';
import { checkedWebhook, type UrlPolicy } from '../../shared/request/webhook-url.ts';
import {
  changeEndpoint,
  createEndpoint,
  listEndpoints,
  removeEndpoint,
  rotateSecret,
  type EndpointNeeds,
} from '../../shared/use-cases/webhooks/manage-webhooks.ts';
import { endpointOf, webhookId } from './endpoint-of.ts';
import { listReply } from '../../shared/http/list-reply.ts';
import { readQuery } from '../../shared/request/read-query.ts';
import {
  listDeliveries,
  redeliver,
  sendTest,
  type DeliveryNeeds,
} from '../../shared/use-cases/webhooks/manage-deliveries.ts';

type Needs = Pick<
  Effects,
  'notes' | 'usage' | 'webhooks' | 'deliveries' | 'notifierQueue' | 'vault' | 'now' | 'newId'
>;

/** An organization's endpoints and their deliveries. */
export function webhookOperations(fx: Needs, policy: UrlPolicy): Operations<'webhooks'> {
  return {
    ...deliveryOperations(fx),

    createWebhook: async (call) => {
      const wanted = checkedWebhook(readBody(call, NewWebhook), policy);
      const { endpoint, secret } = await createEndpoint(fx, orgOf(call), wanted);
      return json(201, withSecret(endpoint, secret), { Location: `${call.sentPath}/${endpoint.id}` });
    },

    listWebhooks: async (call) =>
      json(200, { data: (await listEndpoints(fx, orgOf(call).id)).map(webhookView) }),

    getWebhook: async (call) => json(200, webhookView(await endpointOf(fx, call))),

    updateWebhook: async (call) => {
      const wanted = checkedWebhook(readBody(call, WebhookChange), policy);
      return json(200, webhookView(await changeEndpoint(fx, orgOf(call), webhookId(call), wanted)));
    },

    deleteWebhook: async (call) => {
      await removeEndpoint(fx, orgOf(call).id, webhookId(call));
      return { status: 204, headers: {}, body: '' };
    },

    rotateWebhookSecret: async (call) => {
      const { endpoint, secret } = await rotateSecret(fx, orgOf(call).id, webhookId(call));
      return json(200, withSecret(endpoint, secret));
    },
  };
}

const orgOf = ({ session }: AuthenticatedCall) => session.organization;

const withSecret = (endpoint: Endpoint, secret: string): WebhookWithSecret => ({
  ...webhookView(endpoint),
  secret,
});

/** What an endpoint was sent, and what it is sent on request. */
function deliveryOperations(
  fx: DeliveryNeeds & EndpointNeeds,
): Pick<Operations<'webhooks'>, 'testWebhook' | 'listDeliveries' | 'redeliver'> {
  return {
    testWebhook: async (call) => json(202, deliveryView(await sendTest(fx, await endpointOf(fx, call)))),

    listDeliveries: async (call) => {
      const query = readQuery(call, DeliveriesQuery);
      const { deliveries, nextCursor } = await listDeliveries(fx, await endpointOf(fx, call), query);
      return listReply(call, deliveries, { viewOf: deliveryView, positionOf: ({ id }) => id, nextCursor });
    },

    redeliver: async (call) => {
      const { delivery_id: id = '' } = call.params;
      return json(202, deliveryView(await redeliver(fx, await endpointOf(fx, call), id)));
    },
  };
}
