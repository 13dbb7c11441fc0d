import type { Endpoint } from '../../../shared/contract/webhooks/webhook.ts';
import { findEndpoint } from '../../../shared/use-cases/webhooks/manage-webhooks.ts';
import { idIn } from '../answered.ts';
import type { MemberCall } from '../page-call.ts';
import { htmlReply } from '../replies.ts';
import type { Needs, Pages } from '../needs.ts';
import { askPage } from '../views/ask-page.ts';
import type { Html } from '../html.ts';

/** Asks before an endpoint is disabled or gets another secret. */
export function webhookQuestions(fx: Needs): Pick<Pages, 'showDisabling' | 'showSecretRotation'> {
  const endpointOf = (call: MemberCall) => findEndpoint(fx, call.person.orgId, idIn(call));
  return {
    showDisabling: async (call) => htmlReply(disablingPage(call, await endpointOf(call))),
    showSecretRotation: async (call) =>
      htmlReply(secretRotationPage(call, await endpointOf(call), fx.newId())),
  };
}

function disablingPage(call: MemberCall, { id, url = 'Bare URLs', events }: Endpoint): Html {
  return askPage(call, {
    title: 'Disable this endpoint?',
    about: url,
    facts: [['Receives', events.join(' · ') || 'Only jobs that name it']],
    effect:
      'It receives nothing until you enable it. Events that occur until then are lost, and those on their way to it are given up.',
    form: { action: '/change-webhook', hidden: { id, enabled: 'false' }, submit: 'Disable the endpoint' },
    back: backTo(id),
  });
}

function secretRotationPage(call: MemberCall, { id, url = 'Bare URLs' }: Endpoint, once: string): Html {
  return askPage(call, {
    title: 'Replace the signing secret?',
    about: url,
    effect:
      'The new secret is shown once. For 24 hours events are signed with the old one too; then a receiver that knows only the old one refuses them. This cannot be undone.',
    form: { action: '/rotate-webhook', hidden: { id, once }, submit: 'Replace the secret' },
    back: backTo(id),
  });
}

const backTo = (id: string) => ({ path: `/webhooks?id=${id}`, label: 'Back to the endpoint' });
