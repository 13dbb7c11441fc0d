import { ActivityQuery, type ActivityView } from '../../../shared/contract/accounts/activity.ts';
import { AppError } from '../../../shared/errors.ts';
import { readQuery } from '../../../shared/request/read-query.ts';
import { listActivity, RETENTION_DAYS } from '../../../shared/use-cases/accounts/list-activity.ts';
import { type Faults, faultsOf } from '../faults-of.ts';
import { type KeyNames, keyNames } from '../key-names.ts';
import type { MemberCall } from '../page-call.ts';
import { htmlReply } from '../replies.ts';
import type { Needs, Pages } from '../needs.ts';
import { activityFilters, filterNames } from '../views/activity-filters.ts';
import { chosenIn, pagedList, shownUrl } from '../views/paged-list.ts';
import { count } from '../views/count.ts';
import type { Column } from '../views/list-table.ts';
import { html, type Html } from '../html.ts';
import { layout } from '../views/layout.ts';
import { moment } from '../views/moment.ts';
import { outcome } from '../views/outcome.ts';
import { kindOfLine, verdictNames } from '../views/words.ts';

const PER_PAGE = 25;

export function activityPages(fx: Needs): Pick<Pages, 'activity'> {
  const show = async (call: MemberCall, content: Html | '', faults: Faults = {}, status = 200) => {
    const keys = await keyNames(fx, call.person.orgId);
    const main = html`<h1>Activity</h1>
      <p class="lead">The scrapes of the last ${RETENTION_DAYS} days that ended, newest first.</p>
      ${activityFilters(call, { keys: keys.all, now: fx.now(), faults })} ${content}`;
    return htmlReply(layout(call, { title: 'Activity', main }), { status });
  };
  return {
    activity: async (call) => {
      try {
        const query = readQuery({ query: { ...chosenIn(call), limit: [String(PER_PAGE)] } }, ActivityQuery);
        const { orgId } = call.person;
        const [page, { nameOf }] = await Promise.all([listActivity(fx, orgId, query), keyNames(fx, orgId)]);
        return await show(
          call,
          pagedList(call, {
            ...{ path: '/activity', columns, cursor: page.next_cursor, filters: filterNames, name: 'scrape' },
            rows: page.data.map((line) => cells(call, line, nameOf)),
            legend,
            none: 'No scrapes yet. They are listed here within seconds.',
          }),
        );
      } catch (error) {
        if (!(error instanceof AppError && error.code === 'invalid_request')) throw error;
        return show(call, '', faultsOf(error, filterNames), 422);
      }
    },
  };
}

const columns: readonly Column[] = [
  { name: 'Outcome', style: 'badge' },
  { name: 'Page', style: 'main' },
  { name: 'Kind', style: 'text' },
  { name: 'Credits', style: 'number' },
  { name: 'Took, ms', style: 'number' },
  { name: 'Key', style: 'text' },
  { name: 'Ended', style: 'time' },
];

const legend = html`<p class="legend">
  <span><span class="badge good">200</span> delivered</span>
  <span><span class="badge bad">500</span> no page, free</span>
</p>`;

function cells(call: MemberCall, line: ActivityView, nameOf: KeyNames['nameOf']) {
  const wall = line.verdict && line.verdict !== 'page' && verdictNames[line.verdict];
  return [
    outcome(line),
    html`<a href="${call.at(pathOf(line))}">${shownUrl(line.url)}</a>`,
    [kindOfLine(line), wall].filter(Boolean).join(' · '),
    count(line.credits),
    count(line.ms),
    nameOf(line.key_id),
    moment(line.time, 'second'),
  ];
}

/** A job is found by its id and its time, a sync scrape by its id alone. */
export const pathOf = ({ request_id: requestId, job_id: jobId = '', time }: ActivityView) =>
  requestId === undefined ? `/activity/${jobId}?time=${time}` : `/activity/${requestId}`;
