import type { Endpoint } from '../../../shared/contract/webhooks/webhook.ts';
import { openMeter } from '../../../shared/http/meter.ts';
import { redeliver, sendTest } from '../../../shared/use-cases/webhooks/manage-deliveries.ts';
import { changeEndpoint, findEndpoint } from '../../../shared/use-cases/webhooks/manage-webhooks.ts';
import { textIn } from '../answered.ts';
import { type MemberCall, organizationOf } from '../page-call.ts';
import { type DashboardReply, seeOther } from '../replies.ts';
import type { Needs, Pages } from '../needs.ts';
import { type Notice, withNotice } from '../views/notices.ts';

type Changes = 'changeWebhook' | 'testWebhook' | 'redeliver';

/** The forms on the page of an endpoint, without the form that shows a secret. */
export function webhookChanges(fx: Needs): Pick<Pages, Changes> {
  return {
    changeWebhook: async (call) => {
      const enabled = textIn(call, 'enabled') === 'true';
      const organization = organizationOf(call);
      const { id } = await changeEndpoint(fx, organization, textIn(call, 'id'), { enabled });
      return back(call, id, enabled ? 'enabled' : 'disabled');
    },
    testWebhook: async (call) => {
      const endpoint = await ofForm(fx, call);
      await drawSend(fx, call);
      await sendTest(fx, endpoint);
      return back(call, endpoint.id, 'sent');
    },
    redeliver: async (call) => {
      const endpoint = await ofForm(fx, call);
      await drawSend(fx, call);
      await redeliver(fx, endpoint, textIn(call, 'delivery'));
      return back(call, endpoint.id, 'sent');
    },
  };
}

const ofForm = (fx: Needs, call: MemberCall): Promise<Endpoint> =>
  findEndpoint(fx, call.person.orgId, textIn(call, 'id'));

/** From the same bucket as calls of the API. Throws `rate_limited`. */
async function drawSend(fx: Needs, call: MemberCall): Promise<void> {
  await openMeter(fx, organizationOf(call), 'send').takeRateLimit();
}

const back = (call: MemberCall, id: string, notice: Notice): DashboardReply =>
  seeOther(call, withNotice('/webhooks', notice, { id }));
