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
import { counted } from '../views/count.ts';
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
        const items = page.data.map((line) => item(call, line, nameOf));
        return await show(
          call,
          pagedList(call, {
            ...{ path: '/activity', items, cursor: page.next_cursor, filters: filterNames, name: 'scrape' },
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

function item(call: MemberCall, line: ActivityView, nameOf: KeyNames['nameOf']): Html {
  const details = [
    kindOfLine(line),
    ...(line.verdict && line.verdict !== 'page' ? [verdictNames[line.verdict]] : []),
    counted(line.credits, 'credit'),
    `${(line.ms / 1_000).toFixed(1)} s`,
    nameOf(line.key_id),
  ];
  return html`<li>
    ${outcome(line)}
    <a href="${call.at(pathOf(line))}">${shownUrl(line.url)}</a>
    <span class="details">${details.join(' · ')}</span>
    ${moment(line.time)}
  </li>`;
}

/** A job is found by its id and its time, a sync scrape by its id alone. */
export const pathOf = ({ request_id: requestId, job_id: jobId = '', time }: ActivityView) =>
  requestId === undefined ? `/activity/${jobId}?time=${time}` : `/activity/${requestId}`;
