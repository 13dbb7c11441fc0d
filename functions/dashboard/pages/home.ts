import { resetsAt } from '../../../shared/domain/credits/admission.ts';
import { listKeys } from '../../../shared/use-cases/manage-keys.ts';
import { showOrganization } from '../../../shared/use-cases/manage-organizations.ts';
import type { MemberCall } from '../page-call.ts';
import { pageReply } from '../page-reply.ts';
import type { Needs, Pages } from '../pages.ts';
import { html, type Html } from '../views/html.ts';
import { layout } from '../views/layout.ts';
import { moment } from '../views/moment.ts';
import { secretText } from '../views/secret-text.ts';

export function homePages(fx: Needs): Pick<Pages, 'home'> {
  return {
    home: async (call) => {
      const { orgId } = call.person;
      const [organization, { keys }] = await Promise.all([showOrganization(fx, orgId), listKeys(fx, orgId)]);
      const hasKey = keys.some(({ status }) => status === 'active');
      const main = html`<h1>${organization.name}</h1>
        ${credits(organization)} ${firstCall(call, fx, organization.usage.used > 0, hasKey)}`;
      return pageReply(layout(call, { title: 'Home', main }));
    },
  };
}

type Shown = Awaited<ReturnType<typeof showOrganization>>;

function credits({ usage, limits, plan }: Shown): Html {
  const { available, used, period, in_progress: inProgress } = usage;
  const count = (value: number) => value.toLocaleString('en');
  return html`<section class="card" aria-labelledby="credits">
    <h2 id="credits">Credits</h2>
    <p class="figure"><strong>${count(available)}</strong> left this month</p>
    <progress max="${Math.max(available + used, 1)}" value="${used}" aria-label="Credits used">
      ${used}
    </progress>
    <dl class="facts">
      <div>
        <dt>Used</dt>
        <dd>${count(used)}</dd>
      </div>
      <div>
        <dt>In progress</dt>
        <dd>${count(inProgress)}</dd>
      </div>
      <div>
        <dt>Plan</dt>
        <dd>${plan}, ${count(limits.credits)} a month</dd>
      </div>
      <div>
        <dt>Renewed</dt>
        <dd>${moment(resetsAt(period), 'day')}</dd>
      </div>
    </dl>
  </section>`;
}

function firstCall(call: MemberCall, fx: Needs, hasArrived: boolean, hasKey: boolean): Html {
  const lead = hasKey
    ? html`Put a key in place of <code>YOUR_KEY</code>.`
    : html`There is no key yet. <a href="${call.at('/keys')}">Create one</a> first.`;
  return html`<section class="card" aria-labelledby="first-call">
    <h2 id="first-call">${hasArrived ? 'Call the API' : 'Make your first call'}</h2>
    <p class="state ${hasArrived ? 'done' : ''}">
      ${hasArrived ? 'Your calls arrive.' : 'No call has been charged this month. Reload this page after yours.'}
    </p>
    <p>${lead}</p>
    ${secretText(callWith(fx, 'YOUR_KEY'), 'Copy')}
    <p><a href="${fx.apiUrl}/docs">Read the documentation</a></p>
  </section>`;
}

/** What the first sign-in to an organization shows: its first key, this once. */
export function welcomePage(call: MemberCall, fx: Example, key: string): Html {
  const main = html`<h1>Welcome</h1>
    <section class="card" aria-labelledby="key">
      <h2 id="key">Your API key</h2>
      <p><strong>It is shown this once.</strong> Store it where your programs find it.</p>
      ${secretText(key, 'Copy the key')}
    </section>
    <section class="card" aria-labelledby="first-call">
      <h2 id="first-call">Make your first call</h2>
      ${secretText(callWith(fx, key), 'Copy')}
      <p><a class="button" href="${call.at('/')}">Continue to Home</a></p>
    </section>`;
  return layout(call, { title: 'Welcome', main });
}

type Example = Pick<Needs, 'apiUrl' | 'examplePage'>;

/** A call that needs nothing but a terminal. */
export const callWith = ({ apiUrl, examplePage = 'https://example.com/' }: Example, key: string) =>
  `curl -H "Authorization: Bearer ${key}" "${apiUrl}/api/v1/scraper?url=${examplePage}"`;
