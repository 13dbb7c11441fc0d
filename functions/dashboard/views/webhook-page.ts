import type { Delivery, Endpoint } from '../../../shared/contract/webhooks/webhook.ts';
import type { MemberCall } from '../page-call.ts';
import { askButton } from './ask-page.ts';
import { count } from './count.ts';
import { form } from './form.ts';
import { html, type Html } from '../html.ts';
import { layout } from './layout.ts';
import type { Column } from './list-table.ts';
import { moment } from './moment.ts';
import { pagedList, shownUrl } from './paged-list.ts';
import { type Row, rows } from './rows.ts';
import { disabledNotice } from './webhooks-page.ts';

type Listed = { deliveries: readonly Delivery[]; nextCursor?: string };

/** One endpoint with its deliveries, newest first. */
export function webhookPage(call: MemberCall, endpoint: Endpoint, listed: Listed): Html {
  const { url = 'Bare URLs', disabled } = endpoint;
  const list = pagedList(call, {
    ...{ path: '/webhooks', columns, cursor: listed.nextCursor, filters: ['id'], name: 'event' },
    rows: listed.deliveries.map((delivery) => cells(call, endpoint, delivery)),
    none: 'Nothing was sent yet.',
  });
  return page(
    call,
    html`<section class="card" aria-labelledby="endpoint">
        <h2 id="endpoint">${url}</h2>
        <p class="state ${disabled ? '' : 'done'}">${disabled ? 'Disabled.' : 'Enabled.'}</p>
        ${disabledNotice(endpoint)} ${rows('rows', facts(endpoint))} ${actions(call, endpoint)}
      </section>
      <h2>Deliveries</h2>
      ${list}`,
  );
}

export function missingWebhookPage(call: MemberCall): Html {
  return page(call, html`<p class="fault" role="alert">There is no such endpoint.</p>`);
}

function page(call: MemberCall, content: Html): Html {
  const main = html`<h1>Webhook</h1>
    ${content}
    <p><a href="${call.at('/webhooks')}">All endpoints</a></p>`;
  return layout(call, { title: 'Webhook', main });
}

function facts({ id, url, description, events, createdAt, secrets }: Endpoint): Row[] {
  const old = secrets[1]?.until;
  return [
    ['Id', html`<code>${id}</code>`],
    ...(description === undefined ? [] : [['Note', description] as const]),
    [
      'Receives',
      url === undefined ? 'Events of jobs with a URL' : events.join(' · ') || 'Only jobs that name it',
    ],
    ['Created', moment(createdAt)],
    ...(old === undefined ? [] : [['Old secret until', moment(old)] as const]),
  ];
}

function actions(call: MemberCall, { id, url, disabled }: Endpoint): Html {
  const hidden = { id };
  const change = disabled
    ? form(call, { action: '/change-webhook', hidden: { id, enabled: 'true' }, submit: 'Enable' })
    : askButton(call, '/change-webhook', hidden, 'Disable');
  const own = html`${!disabled && form(call, { action: '/test-webhook', hidden, submit: 'Send a test event', kind: 'plain' })}
  ${change} ${askButton(call, '/remove-webhook', hidden, 'Delete')}`;
  return html`<div class="buttons">
    ${askButton(call, '/rotate-webhook', hidden, 'Replace the secret')} ${url !== undefined && own}
  </div>`;
}

const badges = { pending: '', delivered: 'good', failed: 'bad' } as const;
const names = { pending: 'Pending', delivered: 'Delivered', failed: 'Failed' } as const;

const columns: readonly Column[] = [
  { name: 'State', style: 'badge' },
  { name: 'Event', style: 'main' },
  { name: 'Attempts', style: 'number' },
  { name: 'Last response', style: 'note' },
  { name: 'Created', style: 'time' },
  { name: 'Again', style: 'action' },
];

function cells(call: MemberCall, { disabled }: Endpoint, delivery: Delivery) {
  const { id, endpointId, type, subject = '', url, status, attempts, nextAttemptAt, createdAt } = delivery;
  const last = attempts.at(-1);
  const again = form(call, {
    action: '/redeliver',
    hidden: { id: endpointId, delivery: id },
    submit: 'Send again',
    kind: 'plain',
  });
  const event = type.startsWith('job.')
    ? html`<a href="${call.at(`/jobs?id=${subject}`)}">${type}</a>`
    : type;
  return [
    html`<span class="badge ${badges[status]}">${names[status]}</span>`,
    html`${event}${url !== undefined && html` <span class="details">${shownUrl(url)}</span>`}`,
    count(attempts.length),
    html`${last ? `${last.status ?? last.error} after ${count(last.ms)} ms` : ''}${nextAttemptAt && html` · next ${moment(nextAttemptAt)}`}`,
    moment(createdAt, 'second'),
    disabled ? '' : again,
  ];
}
