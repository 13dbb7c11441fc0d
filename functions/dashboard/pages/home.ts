import type { Endpoint } from '../../../shared/contract/webhooks/webhook.ts';
import type { AccountView, UsageView } from '../../../shared/contract/accounts/account-view.ts';
import { laterDay } from '../../../shared/domain/accounts/credits/usage-days.ts';
import { listActivity, RETENTION_DAYS } from '../../../shared/use-cases/accounts/list-activity.ts';
import { listKeys } from '../../../shared/use-cases/accounts/manage-keys.ts';
import { listEndpoints } from '../../../shared/use-cases/webhooks/manage-webhooks.ts';
import { showAccount, usageByDay } from '../../../shared/use-cases/accounts/show-account.ts';
import { type MemberCall, organizationOf } from '../page-call.ts';
import { htmlReply } from '../replies.ts';
import type { Needs, Pages } from '../needs.ts';
import { chart } from '../views/chart.ts';
import { count, share } from '../views/count.ts';
import { callCard, firstCallCard } from '../views/first-call.ts';
import { html, type Html } from '../html.ts';
import { layout } from '../views/layout.ts';
import { moment } from '../views/moment.ts';
import { type Row, rows } from '../views/rows.ts';

export function homePages(fx: Needs): Pick<Pages, 'home' | 'arrived'> {
  return {
    home: async (call) => {
      const { orgId } = call.person;
      const organization = organizationOf(call);
      const [account, usage, hasScraped, { keys }, endpoints] = await Promise.all([
        showAccount(fx, organization),
        usageByDay(fx, organization, {}),
        hasArrived(fx, orgId),
        listKeys(fx, orgId),
        listEndpoints(fx, orgId),
      ]);
      const hasKey = keys.some(({ status }) => status === 'active');
      const cards = [credits(account), lastDays(call, usage)];
      const main = html`<h1>${organization.name}</h1>
        ${endpoints.filter(isFailed).map((endpoint) => failedEndpoint(call, endpoint))}
        ${
          hasScraped
            ? html`${cards} ${callCard(call, { fx, hasKey })}`
            : html`${firstCallCard(call, { fx, hasKey })} ${cards}`
        }`;
      return htmlReply(layout(call, { title: 'Home', main }));
    },
    arrived: async ({ person }) => ({
      status: 200,
      headers: { 'Content-Type': 'application/json' },
      cookies: [],
      body: JSON.stringify({ arrived: await hasArrived(fx, person.orgId) }),
    }),
  };
}

/** Not if a member disabled it. */
const isFailed = ({ disabled }: Endpoint) => disabled !== undefined && disabled.by !== 'caller';

const failedEndpoint = (call: MemberCall, { id, url }: Endpoint): Html =>
  html`<p class="fault" role="alert">
    The webhook endpoint <a href="${call.at(`/webhooks?id=${id}`)}">${url}</a> was disabled because it fails.
  </p>`;

const hasArrived = async (fx: Needs, orgId: string) =>
  (await listActivity(fx, orgId, { limit: 1 })).data.length > 0;

function credits({ credits: it, in_progress: inProgress, plan }: AccountView): Html {
  const facts: Row[] = [
    ['Used', count(it.used)],
    ['In progress', count(inProgress)],
    ['Plan', `${plan}, ${count(it.granted)} this month`],
    ['Renewed', moment(it.resets_at, 'day')],
  ];
  return html`<section class="card" aria-labelledby="credits">
    <h2 id="credits">Credits</h2>
    <p class="figure"><strong>${count(it.available)}</strong> left this month</p>
    <progress
      max="${Math.max(it.granted, 1)}"
      value="${it.used + it.held}"
      aria-label="Credits used and held"
    ></progress>
    ${rows('facts', facts)}
  </section>`;
}

function lastDays(call: MemberCall, { data, from, to, total }: UsageView): Html {
  const { scrapes, succeeded, credits: spent } = total;
  const title = `The last ${RETENTION_DAYS} days`;
  const facts: Row[] = [
    ['Scrapes', count(scrapes)],
    ['Delivered and charged', share(succeeded, scrapes)],
    ['Credits', count(spent)],
  ];
  const content =
    scrapes === 0
      ? html`<p class="empty">No scrapes yet. They are counted here by day.</p>`
      : html`${rows('facts big', facts)}
          ${chart({ measure: 'scrapes', title: `Scrapes by day, ${from} to ${to}`, days: daysFrom(from, to), rows: data })}
          <p class="buttons">
            <a class="button" href="${call.at('/usage')}">Usage by month</a>
            <a class="button" href="${call.at('/activity')}">Each scrape</a>
          </p>`;
  return html`<section class="card" aria-labelledby="last-days">
    <h2 id="last-days">${title}</h2>
    ${content}
  </section>`;
}

function daysFrom(from: string, to: string): string[] {
  const days: string[] = [];
  for (let day = from; day <= to; day = laterDay(day, 1)) days.push(day);
  return days;
}
