import { type Endpoint, EventType } from '../../../shared/contract/webhooks/webhook.ts';
import { textIn } from '../answered.ts';
import type { MemberCall } from '../page-call.ts';
import { form } from './form.ts';
import type { Faults } from '../faults-of.ts';
import { html, type Html } from '../html.ts';
import { layout } from './layout.ts';
import { moment } from './moment.ts';
import { secretText } from './secret-text.ts';

type Shown = { endpoints: readonly Endpoint[]; once: string; faults: Faults };

export const eventNames: Readonly<Record<EventType, string>> = {
  'job.completed': 'A job completed',
  'job.failed': 'A job failed or was cancelled',
  'batch.completed': 'A batch completed',
  'crawl.completed': 'A crawl has ended',
  'credits.low': '80 % and 100 % of the credits are used',
};

/** The endpoints of an organization, and a form to add one. */
export function webhooksPage(call: MemberCall, { endpoints, once, faults }: Shown): Html {
  const list = html`<ul class="keys">
    ${endpoints.map((endpoint) => item(call, endpoint))}
  </ul>`;
  const main = html`<h1>Webhooks</h1>
    <p class="lead">
      Endpoints receive an event when a job ends or credits run low. Events to URLs in jobs are listed under
      <a href="${call.at('/webhooks?id=default')}">bare URLs</a>.
    </p>
    ${endpoints.length === 0 ? html`<p class="empty">There are no endpoints yet.</p>` : list}
    ${creation(call, once, faults)}`;
  return layout(call, { title: 'Webhooks', main });
}

function item(call: MemberCall, endpoint: Endpoint): Html {
  const { id, url, description, events, createdAt, disabled } = endpoint;
  return html`<li class="card">
    <div>
      <h2><a href="${call.at(`/webhooks?id=${id}`)}">${url}</a></h2>
      ${description && html`<p>${description}</p>`}
      <p class="hint">${events.length > 0 ? events.join(' · ') : 'Only jobs that name it'}</p>
      <p class="hint">Created ${moment(createdAt)}</p>
      ${disabledNotice(endpoint)}
    </div>
    <span class="badge ${disabled ? 'bad' : 'good'}">${disabled ? 'Disabled' : 'Enabled'}</span>
  </li>`;
}

/** Why an endpoint receives nothing. */
export function disabledNotice({ disabled }: Endpoint): Html | '' {
  if (disabled === undefined) return '';
  const reasons = {
    gone: 'Its receiver returned 410, which means that it is gone for good.',
    failures: 'It returned nothing but failures for five days.',
    caller: 'It was disabled by hand.',
  };
  return html`<p class="fault" role="alert">
    Disabled since ${moment(disabled.at)}. ${reasons[disabled.by]} Events that occur until it is enabled are
    lost.
  </p>`;
}

function creation(call: MemberCall, once: string, faults: Faults): Html {
  const isAgain = Object.keys(faults).length > 0;
  const chosen = isAgain ? call.form.getAll('event') : EventType.options;
  const fields = [
    { name: 'url', label: 'URL', hint: 'https, on a public host.', value: textIn(call, 'url') },
    { name: 'description', label: 'Note', value: textIn(call, 'description'), isOptional: true },
  ];
  const choices = EventType.options.map(
    (type) =>
      html`<label class="choice"
        ><input type="checkbox" name="event" value="${type}" ${chosen.includes(type) ? 'checked' : ''} />
        ${eventNames[type]} <code>${type}</code></label
      >`,
  );
  const further = html`<fieldset class="field" aria-describedby="webhooks-event-hint">
    <legend>Receives</legend>
    <p class="hint" id="webhooks-event-hint">With none, it receives only events of jobs that name it.</p>
    ${choices}
  </fieldset>`;
  return html`<section class="card" aria-labelledby="create">
    <h2 id="create">Add an endpoint</h2>
    ${form(call, { action: '/webhooks', fields, further, hidden: { once }, submit: 'Add endpoint' }, faults)}
  </section>`;
}

/** Shows a new secret, which no later page does. */
export function secretPage(call: MemberCall, endpoint: Endpoint, secret: string): Html {
  const { id, url = 'Bare URLs', secrets } = endpoint;
  const until = secrets[1]?.until;
  const main = html`<h1>Signing secret</h1>
    <section class="card" aria-labelledby="secret">
      <h2 id="secret">${url}</h2>
      <p><strong>It is shown only once.</strong> Store it where your program verifies signatures.</p>
      ${until && html`<p>The old secret signs too until ${moment(until)}.</p>`}
      ${secretText(secret, 'Copy the secret')}
      <p><a class="button" href="${call.at(`/webhooks?id=${id}`)}">Back to the endpoint</a></p>
    </section>`;
  return layout(call, { title: 'Signing secret', main });
}
