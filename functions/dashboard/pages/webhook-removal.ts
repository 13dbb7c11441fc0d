import type { Delivery, Endpoint } from '../../../shared/contract/webhooks/webhook.ts';
import { listDeliveries } from '../../../shared/use-cases/webhooks/manage-deliveries.ts';
import { findEndpoint, removeEndpoint } from '../../../shared/use-cases/webhooks/manage-webhooks.ts';
import { idIn, textIn } from '../answered.ts';
import type { MemberCall } from '../page-call.ts';
import { htmlReply, seeOther } from '../replies.ts';
import type { Needs, Pages } from '../needs.ts';
import { askPage } from '../views/ask-page.ts';
import type { Html } from '../html.ts';
import { moment } from '../views/moment.ts';
import { withNotice } from '../views/notices.ts';

/** Asks before an endpoint is deleted, and deletes it. */
export function webhookRemoval(fx: Needs): Pick<Pages, 'showWebhookRemoval' | 'removeWebhook'> {
  return {
    showWebhookRemoval: async (call) => {
      const endpoint = await findEndpoint(fx, call.person.orgId, idIn(call));
      const { deliveries } = await listDeliveries(fx, endpoint, { limit: 1 });
      return htmlReply(endpointRemovalPage(call, endpoint, deliveries[0]));
    },
    removeWebhook: async (call) => {
      await removeEndpoint(fx, call.person.orgId, textIn(call, 'id'));
      return seeOther(call, withNotice('/webhooks', 'endpoint'));
    },
  };
}

function endpointRemovalPage(call: MemberCall, endpoint: Endpoint, latest: Delivery | undefined): Html {
  const { id, url = '', events, createdAt } = endpoint;
  return askPage(call, {
    title: 'Delete this endpoint?',
    about: url,
    facts: [
      ['Receives', events.join(' · ') || 'Only jobs that name it'],
      ['Created', moment(createdAt)],
      ['Last event', latest === undefined ? 'None' : moment(latest.createdAt)],
    ],
    effect:
      'It receives nothing more. Events on their way to it are given up, its signing secret is gone, and its deliveries are no longer listed. This cannot be undone.',
    form: { action: '/remove-webhook', hidden: { id }, submit: 'Delete the endpoint' },
    back: { path: `/webhooks?id=${id}`, label: 'Back to the endpoint' },
  });
}
