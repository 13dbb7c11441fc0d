import { DeliveriesQuery, type Endpoint, EventType, NewWebhook } from '../../../shared/contract/webhook.ts';
import { AppError } from '../../../shared/errors.ts';
import { readQuery } from '../../../shared/request/read-query.ts';
import { checkedWebhook } from '../../../shared/request/webhook-url.ts';
import { findOrganization } from '../../../shared/use-cases/find-organization.ts';
import { listDeliveries, redeliver, sendTest } from '../../../shared/use-cases/manage-deliveries.ts';
import {
  changeEndpoint,
  createEndpoint,
  findEndpoint,
  listEndpoints,
  removeEndpoint,
  rotateSecret,
} from '../../../shared/use-cases/manage-webhooks.ts';
import { answered, fault, idIn, textIn } from '../answered.ts';
import type { MemberCall } from '../page-call.ts';
import { type PageReply, pageReply, seeOther } from '../page-reply.ts';
import type { Needs, Pages } from '../pages.ts';
import type { Faults } from '../views/form.ts';
import { type Notice, withNotice } from '../views/notices.ts';
import { chosenIn } from '../views/paged-list.ts';
import { missingWebhookPage, webhookPage } from '../views/webhook-page.ts';
import { secretPage, webhooksPage } from '../views/webhooks-page.ts';

const PER_PAGE = '25';
const DAY_MS = 24 * 60 * 60 * 1_000;

type Operations =
  | 'webhooks'
  | 'createWebhook'
  | 'changeWebhook'
  | 'removeWebhook'
  | 'testWebhook'
  | 'rotateWebhook'
  | 'redeliver';

export function webhooksPages(fx: Needs): Pick<Pages, Operations> {
  const organizationOf = ({ person }: MemberCall) => findOrganization(fx, person.orgId);
  const show = async (call: MemberCall, faults: Faults = {}, more: object = {}) => {
    const endpoints = await listEndpoints(fx, call.person.orgId);
    return pageReply(webhooksPage(call, { endpoints, once: fx.newId(), faults }), more);
  };

  return {
    webhooks: (call) => (idIn(call) === '' ? show(call) : showOne(fx, call, idIn(call))),
    createWebhook: (call) =>
      answered(
        async () => {
          const wanted = wantedWebhook(fx, call);
          await claim(fx, call);
          const { endpoint, secret } = await createEndpoint(fx, await organizationOf(call), wanted);
          return pageReply(secretPage(call, endpoint, secret));
        },
        (faults, more) => show(call, faults, more),
      ),
    changeWebhook: async (call) => {
      const enabled = textIn(call, 'enabled') === 'true';
      const { id } = await changeEndpoint(fx, await organizationOf(call), textIn(call, 'id'), { enabled });
      return back(call, id, enabled ? 'enabled' : 'disabled');
    },
    removeWebhook: async (call) => {
      await removeEndpoint(fx, call.person.orgId, textIn(call, 'id'));
      return seeOther(call, withNotice('/webhooks', 'endpoint'));
    },
    testWebhook: async (call) => {
      const endpoint = await ofForm(fx, call);
      await sendTest(fx, endpoint);
      return back(call, endpoint.id, 'sent');
    },
    rotateWebhook: (call) =>
      answered(
        async () => {
          await claim(fx, call);
          const { endpoint, secret } = await rotateSecret(fx, call.person.orgId, textIn(call, 'id'));
          return pageReply(secretPage(call, endpoint, secret));
        },
        (faults, more) => show(call, faults, more),
      ),
    redeliver: async (call) => {
      const endpoint = await ofForm(fx, call);
      await redeliver(fx, endpoint, textIn(call, 'delivery'));
      return back(call, endpoint.id, 'sent');
    },
  };
}

const ofForm = (fx: Needs, call: MemberCall): Promise<Endpoint> =>
  findEndpoint(fx, call.person.orgId, textIn(call, 'id'));

const back = (call: MemberCall, id: string, notice: Notice): PageReply =>
  seeOther(call, withNotice('/webhooks', notice, { id }));

async function showOne(fx: Needs, call: MemberCall, id: string): Promise<PageReply> {
  try {
    const endpoint = await findEndpoint(fx, call.person.orgId, id);
    const { cursor } = chosenIn(call);
    const query = readQuery({ query: { ...(cursor && { cursor }), limit: [PER_PAGE] } }, DeliveriesQuery);
    const listed = await listDeliveries(fx, endpoint, query);
    return await pageReply(webhookPage(call, endpoint, { ...listed, once: fx.newId() }));
  } catch (error) {
    if (!(error instanceof AppError) || !['not_found', 'invalid_request'].includes(error.code)) throw error;
    return pageReply(missingWebhookPage(call), { status: 404 });
  }
}

/** A form that shows a secret is handled once, so that a reload makes no second one. */
async function claim(fx: Needs, call: MemberCall): Promise<void> {
  const once = `${call.person.id} ${textIn(call, 'once').slice(0, 64)}`;
  if (await fx.visits.claimForm(once, new Date(fx.now().getTime() + DAY_MS))) return;
  throw fault('This form was already sent, and its secret was shown then. If you lost it, replace it.');
}

function wantedWebhook(fx: Needs, call: MemberCall): NewWebhook {
  const chosen = call.form.getAll('event');
  const { data, success } = EventType.array().safeParse(chosen);
  if (!success) throw fault('Choose the events that it receives.');
  const { data: wanted } = NewWebhook.safeParse({
    url: textIn(call, 'url').trim(),
    events: data,
    description: textIn(call, 'description').trim(),
  });
  if (wanted === undefined) throw fault('Enter an https URL, and a note of up to 200 characters.', 'url');
  return checkedWebhook(wanted, fx.webhookUrls);
}
