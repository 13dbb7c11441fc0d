import { DeliveriesQuery } from '../../shared/contract/webhooks/webhook.ts';
import { deliveryView } from '../../shared/domain/webhooks/views.ts';
import { listReply } from '../../shared/http/list-reply.ts';
import { json } from '../../shared/http/reply.ts';
import type { Operations } from '../../shared/http/respond.ts';
import { readQuery } from '../../shared/request/read-query.ts';
import {
  listDeliveries,
  redeliver,
  sendTest,
  type DeliveryNeeds,
} from '../../shared/use-cases/webhooks/manage-deliveries.ts';
import type { EndpointNeeds } from '../../shared/use-cases/webhooks/manage-webhooks.ts';
import { endpointOf } from './endpoint-of.ts';

type Needs = DeliveryNeeds & EndpointNeeds;

/** What an endpoint was sent, and what it is sent on request. */
export function deliveryOperations(
  fx: Needs,
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
