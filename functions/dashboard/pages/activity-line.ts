import type { ActivityView } from '../../../shared/contract/accounts/activity.ts';
import type { VerdictKind } from '../../../shared/contract/scrape/verdict.ts';
import { isCut } from '../../../shared/domain/accounts/activity/lines.ts';
import { timeOfId } from '../../../shared/domain/accounts/credits/short-id.ts';
import { catalogue } from '../../../shared/errors.ts';
import { findActivity } from '../../../shared/use-cases/accounts/list-activity.ts';
import { keyNames } from '../key-names.ts';
import type { MemberCall } from '../page-call.ts';
import { htmlReply } from '../replies.ts';
import type { Needs, Pages } from '../needs.ts';
import { repeatRequest } from '../repeat-request.ts';
import { count, counted } from '../views/count.ts';
import { html, type Html } from '../html.ts';
import { layout } from '../views/layout.ts';
import { moment } from '../views/moment.ts';
import { outcome } from '../views/outcome.ts';
import { type Row, rows } from '../views/rows.ts';
import { secretText } from '../views/secret-text.ts';
import { withCode } from '../views/with-code.ts';
import { cacheNames, kindOfLine, reasonNames, verdictNames } from '../views/words.ts';

export function activityLine(fx: Needs): Pick<Pages, 'activityLine'> {
  return {
    activityLine: async (call) => {
      const { orgId } = call.person;
      const [line, { nameOf }] = await Promise.all([
        findActivity(fx, orgId, wantedBy(call)),
        keyNames(fx, orgId),
      ]);
      const main = html`<p><a href="${call.at('/activity')}">Activity</a></p>
        <h1 class="url">${line.url}</h1>
        ${details(call, line, nameOf(line.key_id), fx.apiUrl)} ${repeat(line, fx.apiUrl)}`;
      return htmlReply(layout(call, { title: line.host, main }));
    },
  };
}

/** The id and, of a job, when it settled: what `pathOf` wrote. */
function wantedBy({ params: { id = '' }, query }: MemberCall): { id: string; time: Date } {
  const [sent] = query.time ?? [];
  const time = sent === undefined ? timeOfId(id) : new Date(sent);
  return { id, time: time && !Number.isNaN(time.getTime()) ? time : new Date(0) };
}

function details(call: MemberCall, line: ActivityView, key: string, apiUrl: string): Html {
  const { code, options, request_id: requestId, job_id: jobId, reason } = line;
  const facts: Row[] = [
    ['Time', moment(line.time)],
    requestId === undefined
      ? ['Job', html`<a href="${call.at(`/jobs?id=${jobId ?? ''}`)}"><code>${jobId}</code></a>`]
      : ['Request', html`<code>${requestId}</code>`],
    ['Outcome', outcome(line)],
    ...(line.verdict ? [['Returned', returned(line.verdict, line.verdict_by)] as Row] : []),
    ['Credits', `${counted(line.credits, 'credit')}. ${reasonNames[reason]}`],
    ...(line.cache ? [['Cache', cacheNames[line.cache]] as Row] : []),
    ['Took', `${count(line.ms)} ms`],
    line.mode_tried === undefined
      ? ['Kind', kindOfLine(line)]
      : ['Tried', html`<code>${line.mode_tried}</code>`],
    ['Key', key],
    ...Object.entries(options).map(([name, value]): Row => [
      name,
      html`<code>${typeof value === 'string' ? value : JSON.stringify(value)}</code>`,
    ]),
  ];
  const error =
    code &&
    html`<p>
      ${withCode(catalogue[code].message)}
      <a href="${apiUrl}/docs/errors/${code}">What to do about ${code}</a>
    </p>`;
  return html`<section class="card" aria-labelledby="details">
    <h2 id="details">Details</h2>
    ${error} ${rows('rows', facts)}
  </section>`;
}

const returned = (verdict: VerdictKind, by: string | undefined) =>
  by === undefined ? verdictNames[verdict] : `${verdictNames[verdict]}: ${by}`;

function repeat(line: ActivityView, apiUrl: string): Html | undefined {
  if (isCut(line)) return undefined;
  return html`<section class="card" aria-labelledby="repeat">
    <h2 id="repeat">Repeat it</h2>
    <p>
      Put a key into <code>SITEFETCH_KEY</code>. The URL's query, headers, cookies and selectors are not kept,
      so add them where the request had some. It is charged like any other.
    </p>
    ${secretText(repeatRequest(apiUrl, line), 'Copy')}
  </section>`;
}
