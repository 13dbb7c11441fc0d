import {
  DeliveriesQuery,
  type Endpoint,
  NewWebhook,
  WebhookChange,
  type WebhookWithSecret,
} from '../../shared/contract/webhook.ts';
import { deliveryView, webhookView } from '../../shared/domain/webhook/views.ts';
import type { AuthenticatedCall } from '../../shared/http/call.ts';
import { nextLink } from '../../shared/http/next-link.ts';
import { json } from '../../shared/http/reply.ts';
import type { Operations } from '../../shared/http/respond.ts';
import type { Effects } from '../../shared/ports.ts';
import { readBody } from '../../shared/request/read-body.ts';
import { readQuery } from '../../shared/request/read-query.ts';
import { checkedWebhook, type UrlPolicy } from '../../shared/request/webhook-url.ts';
import { listDeliveries, redeliver, sendTest } from '../../shared/use-cases/manage-deliveries.ts';
import {
  changeEndpoint,
  createEndpoint,
  findEndpoint,
  listEndpoints,
  removeEndpoint,
  rotateSecret,
} from '../../shared/use-cases/manage-webhooks.ts';

type Needs = Pick<Effects, 'accounts' | 'webhooks' | 'deliveries' | 'notices' | 'vault' | 'now' | 'newId'>;

/** An organization's endpoints and their deliveries. */
export function webhookOperations(fx: Needs, policy: UrlPolicy): Operations<'webhooks'> {
  const endpointOf = (call: AuthenticatedCall) => findEndpoint(fx, orgOf(call).id, webhookId(call));

  return {
    createWebhook: async (call) => {
      const wanted = checkedWebhook(readBody(call, NewWebhook), policy);
      const { endpoint, secret } = await createEndpoint(fx, orgOf(call), wanted);
      return json(201, withSecret(endpoint, secret), { Location: `${call.sentPath}/${endpoint.id}` });
    },

    listWebhooks: async (call) =>
      json(200, { data: (await listEndpoints(fx, orgOf(call).id)).map(webhookView) }),

    getWebhook: async (call) => json(200, webhookView(await endpointOf(call))),

    updateWebhook: async (call) => {
      const wanted = checkedWebhook(readBody(call, WebhookChange), policy);
      return json(200, webhookView(await changeEndpoint(fx, orgOf(call), webhookId(call), wanted)));
    },

    deleteWebhook: async (call) => {
      await removeEndpoint(fx, orgOf(call).id, webhookId(call));
      return { status: 204, headers: {}, body: '' };
    },

    testWebhook: async (call) => json(202, deliveryView(await sendTest(fx, await endpointOf(call)))),

    rotateWebhookSecret: async (call) => {
      const { endpoint, secret } = await rotateSecret(fx, orgOf(call).id, webhookId(call));
      return json(200, withSecret(endpoint, secret));
    },

    listDeliveries: async (call) => {
      const query = readQuery(call, DeliveriesQuery);
      const { deliveries, nextCursor } = await listDeliveries(fx, await endpointOf(call), query);
      const body = { data: deliveries.map(deliveryView), ...(nextCursor && { next_cursor: nextCursor }) };
      return json(200, body, nextCursor === undefined ? {} : { Link: nextLink(call, nextCursor) });
    },

    redeliver: async (call) => {
      const { delivery_id: id = '' } = call.params;
      return json(202, deliveryView(await redeliver(fx, await endpointOf(call), id)));
    },
  };
}

const orgOf = ({ session }: AuthenticatedCall) => session.organization;

function webhookId({ params: { webhook_id: id = '' }, trail }: AuthenticatedCall): string {
  trail.note({ webhookId: id.slice(0, 36) });
  return id;
}

const withSecret = (endpoint: Endpoint, secret: string): WebhookWithSecret => ({
  ...webhookView(endpoint),
  secret,
});
