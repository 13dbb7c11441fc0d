import {
  type Endpoint,
  NewWebhook,
  WebhookChange,
  type WebhookWithSecret,
} from '../../shared/contract/webhooks/webhook.ts';
import { webhookView } from '../../shared/domain/webhooks/views.ts';
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
} from '../../shared/use-cases/webhooks/manage-webhooks.ts';
import { deliveryOperations } from './delivery-operations.ts';
import { endpointOf, webhookId } from './endpoint-of.ts';

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
