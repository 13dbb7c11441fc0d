import { EndReason } from '../../../shared/contract/accounts/account.ts';
import type { UsageView } from '../../../shared/contract/accounts/account-view.ts';
import {
  type ActivitySums,
  RETENTION_DAYS,
  sumActivity,
} from '../../../shared/use-cases/accounts/list-activity.ts';
import { usageByDay } from '../../../shared/use-cases/accounts/show-account.ts';
import { answered } from '../answered.ts';
import { type MemberCall, organizationOf } from '../page-call.ts';
import { htmlReply } from '../replies.ts';
import type { Needs, Pages } from '../needs.ts';
import { keptMonths, longMonth, type Month, monthIn } from '../usage-month.ts';
import { type KeyNames, keyNames, PAGE } from '../key-names.ts';
import { chart } from '../views/chart.ts';
import { count, share } from '../views/count.ts';
import type { Faults } from '../faults-of.ts';
import { html, type Html } from '../html.ts';
import { layout } from '../views/layout.ts';
import { rows } from '../views/rows.ts';
import { select } from '../views/select.ts';
import { table } from '../views/table.ts';
import { reasonNames } from '../views/words.ts';

/** Scrapes summed by key and host: as many as can be read in a tenth of a second. The file sums more. */
const MAX_SUMMED = 1_000;
/** Rows of hosts and keys on the page; the file has all of them. */
const MAX_ROWS = 20;

export function usagePages(fx: Needs): Pick<Pages, 'usage'> {
  const show = (call: MemberCall, content: Html | '', faults: Faults = {}, more: object = {}) => {
    const main = html`<h1>Usage</h1>
      ${picker(call, keptMonths(fx.now()), faults)}${content}`;
    return htmlReply(layout(call, { title: 'Usage', main }), more);
  };
  return {
    usage: (call) =>
      answered(
        async () => {
          const month = monthIn(call, fx.now());
          const { orgId } = call.person;
          const organization = organizationOf(call);
          const span = { from: month.days[0], to: month.days.at(-1) };
          const [usage, sums, names] = await Promise.all([
            usageByDay(fx, organization, span),
            sumActivity(fx, orgId, span, MAX_SUMMED),
            keyNames(fx, orgId),
          ]);
          const shown = { month, usage, sums, names };
          return show(call, usage.total.scrapes === 0 ? nothing(month) : report(call, shown));
        },
        (faults, more) => show(call, '', faults, more),
      ),
  };
}

type Shown = { month: Month; usage: UsageView; sums: ActivitySums; names: KeyNames };

function picker(call: MemberCall, months: readonly string[], faults: Faults): Html {
  const options = months.map((month) => ({ value: month, label: longMonth(month) }));
  const [chosen = months[0] ?? ''] = call.query.month ?? [];
  const field = { id: 'month', name: 'month', label: 'Month', options, chosen, fault: faults.month };
  return html`<form class="picker" action="${call.at('/usage')}">
    ${select(field)}<button>Show</button>
  </form>`;
}

const nothing = ({ name }: Month) => html`<p class="empty">There were no scrapes in ${longMonth(name)}.</p>`;

function report(call: MemberCall, it: Shown): Html {
  const { month, usage } = it;
  const { scrapes, succeeded, failed, credits } = usage.total;
  const of = { days: month.days, rows: usage.data };
  const facts = {
    Credits: count(credits),
    Scrapes: count(scrapes),
    Succeeded: count(succeeded),
    Failed: count(failed),
  };
  return html`${rows('facts big', Object.entries(facts))}
    <section class="card" aria-labelledby="credits">
      <h2 id="credits">Credits by day</h2>
      ${chart({ ...of, measure: 'credits', title: `Credits by day, ${longMonth(month.name)}` })}
    </section>
    <section class="card" aria-labelledby="scrapes">
      <h2 id="scrapes">Scrapes by day</h2>
      ${chart({ ...of, measure: 'scrapes', title: `Scrapes by day, ${longMonth(month.name)}` })}
    </section>
    ${byReason(usage)} ${byName(call, it)} ${downloads(call, month)}`;
}

function byReason({ data, total }: UsageView): Html {
  const rows = EndReason.options
    .map((reason) => [reason, data.reduce((sum, { reasons }) => sum + reasons[reason], 0)] as const)
    .filter(([, scrapes]) => scrapes > 0)
    .map(([reason, scrapes]) => [reasonNames[reason], count(scrapes), share(scrapes, total.scrapes)]);
  return html`<section class="card" aria-labelledby="reasons">
    <h2 id="reasons">Why scrapes were charged or not</h2>
    ${table({ caption: 'Scrapes by reason', head: ['Reason', 'Scrapes', 'Share'], rows })}
  </section>`;
}

/** From activity, which is kept for a shorter time than the counters of days. */
function byName(call: MemberCall, { month, sums, names, usage }: Shown): Html {
  const { byKey, byHost, isComplete } = sums;
  const summed = byKey.reduce((sum, { scrapes }) => sum + scrapes, 0);
  const sources = [
    `From activity, which is kept for ${RETENTION_DAYS} days.`,
    isComplete &&
      summed < usage.total.scrapes &&
      `It has ${count(summed)} of the ${count(usage.total.scrapes)} scrapes of ${longMonth(month.name)}.`,
    !isComplete &&
      `The newest ${count(MAX_SUMMED)} scrapes of ${longMonth(month.name)} are summed; the files sum 50,000.`,
  ];
  const hint = html`<p class="hint">${sources.filter(Boolean).join(' ')}</p>`;
  const activity = (filter: 'host' | 'key_id', name: string, text: string) =>
    html`<a href="${call.at('/activity')}?${filter}=${encodeURIComponent(name)}">${text}</a>`;
  return html`<section class="card" aria-labelledby="by-key">
      <h2 id="by-key">By key</h2>
      ${hint}
      ${sumTable('Key', pagesAsOne(byKey, names), (name) => (name === PAGE ? PAGE : activity('key_id', name, names.nameOf(name))))}
    </section>
    <section class="card" aria-labelledby="by-host">
      <h2 id="by-host">By host</h2>
      ${hint} ${sumTable('Host', byHost, (name) => activity('host', name, name))}
    </section>`;
}

/** Keys that pages made for themselves are one row. */
function pagesAsOne(sums: ActivitySums['byKey'], { all }: KeyNames): ActivitySums['byKey'] {
  const ofPages = sums.filter(({ name }) => !all.has(name));
  if (ofPages.length === 0) return sums;
  const sum = (of: 'scrapes' | 'succeeded' | 'failed' | 'credits') =>
    ofPages.reduce((total, each) => total + each[of], 0);
  const one = { name: PAGE, scrapes: sum('scrapes'), succeeded: sum('succeeded'), failed: sum('failed') };
  const own = sums.filter(({ name }) => all.has(name));
  return [...own, { ...one, credits: sum('credits') }].sort((a, b) => b.credits - a.credits);
}

function sumTable(
  what: 'Key' | 'Host',
  sums: ActivitySums['byKey'],
  linked: (name: string) => Html | string,
): Html {
  if (sums.length === 0) return html`<p>It has no scrapes of this month.</p>`;
  const rows = sums
    .slice(0, MAX_ROWS)
    .map(({ name, scrapes, succeeded, credits }) => [
      linked(name),
      count(scrapes),
      share(succeeded, scrapes),
      count(credits),
    ]);
  const more =
    sums.length > MAX_ROWS &&
    `The ${MAX_ROWS} with the most credits of ${count(sums.length)}; the file below has all.`;
  return html`${table({ caption: `Usage by ${what.toLowerCase()}`, head: [what, 'Scrapes', 'Succeeded', 'Credits'], rows })}
  ${more && html`<p class="hint">${more}</p>`}`;
}

function downloads(call: MemberCall, { name }: Month): Html {
  const files = { day: 'By day and kind', key: 'By key', host: 'By host' };
  return html`<section class="card" aria-labelledby="files">
    <h2 id="files">Download ${longMonth(name)}</h2>
    <p class="buttons">
      ${Object.entries(files).map(([by, label]) => html`<a class="button" href="${call.at('/usage.csv')}?month=${name}&amp;by=${by}" download>${label}, CSV</a> `)}
    </p>
  </section>`;
}
