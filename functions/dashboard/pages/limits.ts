import type { AccountView } from '../../../shared/contract/accounts/account-view.ts';
import { howOf, Kind } from '../../../shared/contract/scrape/mode.ts';
import { cost } from '../../../shared/domain/accounts/credits/charge.ts';
import { showAccount } from '../../../shared/use-cases/accounts/show-account.ts';
import { type MemberCall, organizationOf } from '../page-call.ts';
import { htmlReply } from '../replies.ts';
import type { Needs, Pages } from '../needs.ts';
import { count, counted } from '../views/count.ts';
import { html, type Html } from '../html.ts';
import { layout } from '../views/layout.ts';
import { moment } from '../views/moment.ts';
import { rows } from '../views/rows.ts';
import { table } from '../views/table.ts';
import { kindNames } from '../views/words.ts';

export function limitsPages(fx: Needs): Pick<Pages, 'limits'> {
  return {
    limits: async (call) => {
      const account = await showAccount(fx, organizationOf(call));
      const main = html`<h1>Limits and plan</h1>
        ${credits(account)} ${limits(account)} ${prices()} ${more(call, account)}`;
      return htmlReply(layout(call, { title: 'Limits and plan', main }));
    },
  };
}

function credits({ plan, credits: it, in_progress: inProgress }: AccountView): Html {
  const list: [string, Html | string, string][] = [
    ['Granted', count(it.granted), 'for this month'],
    ['Used', count(it.used), 'charged this month'],
    ['Held', count(it.held), `by ${counted(inProgress, 'scrape')} in progress`],
    ['Available', count(it.available), 'left to spend'],
    ['Renewed', moment(it.resets_at, 'minute'), 'what is left does not carry over'],
  ];
  return html`<section class="card" aria-labelledby="credits">
    <h2 id="credits">Credits on plan ${plan}</h2>
    <progress
      max="${Math.max(it.granted, 1)}"
      value="${it.used + it.held}"
      aria-label="Credits used and held"
    ></progress>
    ${facts(list)}
  </section>`;
}

function limits({ limits: it }: AccountView): Html {
  const list: [string, number, string][] = [
    [
      'Credits a month',
      it.credits,
      'granted when the month begins, in UTC; a scrape without enough gets 402',
    ],
    ['Scrapes a minute', it.rpm, 'scrapes and submitted jobs, all at once if need be; more get 429'],
    ['Reads a minute', it.reads_per_minute, 'status, results and account, which cost nothing; more get 429'],
    ['In progress at once', it.concurrency, 'more sync scrapes get 429, and more jobs wait'],
  ];
  return html`<section class="card" aria-labelledby="limits">
    <h2 id="limits">Limits</h2>
    ${facts(list.map(([name, value, hint]) => [name, count(value), hint]))}
    <p class="hint">A 429 says in <code>Retry-After</code> how many seconds to wait.</p>
  </section>`;
}

function prices(): Html {
  const of = (kind: Kind) => cost(howOf(kind));
  return html`<section class="card" aria-labelledby="prices">
    <h2 id="prices">What a scrape costs</h2>
    <p>
      A delivered page is charged; the target's 4xx, except 404 and 410, and 5xx are not, nor is any error.
    </p>
    ${table({ caption: 'Credits by kind', head: ['Kind', 'Credits'], rows: Kind.options.map((kind) => [kindNames[kind], of(kind)]) })}
  </section>`;
}

function more(call: MemberCall, { org_id: id }: AccountView): Html {
  return html`<section class="card" aria-labelledby="more">
    <h2 id="more">If you need more</h2>
    <p>
      The operator of this service can change the plan and each limit, and add credits to this month at once.
      They need the id of your organization: <code>${id}</code>
    </p>
    <p>
      <a href="${call.at('/usage')}">Usage</a> shows what the credits were spent on. A page that needs no
      script costs a fifth without <code>render_js</code>.
    </p>
  </section>`;
}

function facts(list: readonly (readonly [string, Html | string, string])[]): Html {
  return rows(
    'rows',
    list.map(([name, value, hint]) => [name, html`${value} <span class="hint">${hint}</span>`]),
  );
}
