import { DeliveriesQuery } from '../../../shared/contract/webhooks/webhook.ts';
import { AppError } from '../../../shared/errors.ts';
import { readQuery } from '../../../shared/request/read-query.ts';
import { listDeliveries } from '../../../shared/use-cases/webhooks/manage-deliveries.ts';
import { findEndpoint, listEndpoints } from '../../../shared/use-cases/webhooks/manage-webhooks.ts';
import { idIn } from '../answered.ts';
import type { MemberCall } from '../page-call.ts';
import { type DashboardReply, htmlReply } from '../replies.ts';
import type { Needs, Pages } from '../needs.ts';
import type { Faults } from '../faults-of.ts';
import { chosenIn } from '../views/paged-list.ts';
import { missingWebhookPage, webhookPage } from '../views/webhook-page.ts';
import { webhooksPage } from '../views/webhooks-page.ts';

const PER_PAGE = '25';

export function webhooksPages(fx: Needs): Pick<Pages, 'webhooks'> {
  return {
    webhooks: (call) => (idIn(call) === '' ? showEndpoints(fx, call) : showOne(fx, call, idIn(call))),
  };
}

export async function showEndpoints(
  fx: Needs,
  call: MemberCall,
  faults: Faults = {},
  more: object = {},
): Promise<DashboardReply> {
  const endpoints = await listEndpoints(fx, call.person.orgId);
  return htmlReply(webhooksPage(call, { endpoints, once: fx.newId(), faults }), more);
}

async function showOne(fx: Needs, call: MemberCall, id: string): Promise<DashboardReply> {
  try {
    const endpoint = await findEndpoint(fx, call.person.orgId, id);
    const { cursor } = chosenIn(call);
    const query = readQuery({ query: { ...(cursor && { cursor }), limit: [PER_PAGE] } }, DeliveriesQuery);
    const listed = await listDeliveries(fx, endpoint, query);
    return await htmlReply(webhookPage(call, endpoint, listed));
  } catch (error) {
    if (!(error instanceof AppError) || !['not_found', 'invalid_request'].includes(error.code)) throw error;
    return htmlReply(missingWebhookPage(call), { status: 404 });
  }
}
