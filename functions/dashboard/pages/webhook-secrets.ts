import { EventType, NewWebhook } from '../../../shared/contract/webhooks/webhook.ts';
import { checkedWebhook } from '../../../shared/request/webhook-url.ts';
import { createEndpoint, rotateSecret } from '../../../shared/use-cases/webhooks/manage-webhooks.ts';
import { answered, fault, textIn } from '../answered.ts';
import { type MemberCall, organizationOf } from '../page-call.ts';
import { htmlReply } from '../replies.ts';
import type { Needs, Pages } from '../needs.ts';
import { secretPage } from '../views/webhooks-page.ts';
import { showEndpoints } from './webhooks.ts';
import { addMs, DAY_MS } from '../../../shared/time/units.ts';

/** The forms whose response shows a secret, once. */
export function webhookSecrets(fx: Needs): Pick<Pages, 'createWebhook' | 'rotateWebhook'> {
  const handled = (call: MemberCall, work: () => ReturnType<typeof createEndpoint>) =>
    answered(
      async () => {
        const { endpoint, secret } = await work();
        return htmlReply(secretPage(call, endpoint, secret));
      },
      (faults, more) => showEndpoints(fx, call, faults, more),
    );

  return {
    createWebhook: (call) =>
      handled(call, async () => {
        const wanted = wantedWebhook(fx, call);
        await claim(fx, call);
        return createEndpoint(fx, organizationOf(call), wanted);
      }),
    rotateWebhook: (call) =>
      handled(call, async () => {
        await claim(fx, call);
        return rotateSecret(fx, call.person.orgId, textIn(call, 'id'));
      }),
  };
}

/** A form that shows a secret is handled once, so that a reload makes no second one. */
async function claim(fx: Needs, call: MemberCall): Promise<void> {
  const once = `${call.person.id} ${textIn(call, 'once').slice(0, 64)}`;
  if (await fx.sessions.claimForm(once, addMs(fx.now(), DAY_MS))) return;
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
