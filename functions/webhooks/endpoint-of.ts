import type { Endpoint } from '../../shared/contract/webhooks/webhook.ts';
import type { AuthenticatedCall } from '../../shared/http/call.ts';
import { findEndpoint, type EndpointNeeds } from '../../shared/use-cases/webhooks/manage-webhooks.ts';

/** The endpoint that the path names. Throws `not_found` for none and for another organization's. */
export const endpointOf = (fx: EndpointNeeds, call: AuthenticatedCall): Promise<Endpoint> =>
  findEndpoint(fx, call.session.organization.id, webhookId(call));

export function webhookId({ params: { webhook_id: id = '' }, requestLog }: AuthenticatedCall): string {
  requestLog.note({ webhookId: id.slice(0, 36) });
  return id;
}
