import { ActivityQuery, type ActivityPage, type ActivityView } from '../../../shared/contract/activity.ts';
import { AppError } from '../../../shared/errors.ts';
import { readQuery } from '../../../shared/request/read-query.ts';
import { listActivity, RETENTION_DAYS } from '../../../shared/use-cases/list-activity.ts';
import { type KeyNames, keyNames } from '../key-names.ts';
import type { MemberCall } from '../page-call.ts';
import { pageReply } from '../page-reply.ts';
import type { Needs, Pages } from '../pages.ts';
import { activityFilters, chosenIn, filterNames } from '../views/activity-filters.ts';
import { counted } from '../views/count.ts';
import type { Faults } from '../views/form.ts';
import { html, type Html } from '../views/html.ts';
import { layout } from '../views/layout.ts';
import { moment } from '../views/moment.ts';
import { outcome } from '../views/outcome.ts';
import { kindOfOptions } from '../views/words.ts';

const PER_PAGE = 25;
/** Longer URLs are cut in the list, and shown in full on the scrape's page. */
const SHOWN_CHARACTERS = 90;

export function activityPages(fx: Needs): Pick<Pages, 'activity'> {
  const show = async (call: MemberCall, content: Html | '', faults: Faults = {}, status = 200) => {
    const keys = await keyNames(fx, call.person.orgId);
    const main = html`<h1>Activity</h1>
      <p class="lead">The scrapes of the last ${RETENTION_DAYS} days that ended, newest first.</p>
      ${activityFilters(call, { keys: keys.all, now: fx.now(), faults })} ${content}`;
    return pageReply(layout(call, { title: 'Activity', main }), { status });
  };
  return {
    activity: async (call) => {
      try {
        const query = readQuery({ query: { ...chosenIn(call), limit: [String(PER_PAGE)] } }, ActivityQuery);
        const { orgId } = call.person;
        const [page, { nameOf }] = await Promise.all([listActivity(fx, orgId, query), keyNames(fx, orgId)]);
        return await show(call, list(call, page, nameOf));
      } catch (error) {
        if (!(error instanceof AppError && error.code === 'invalid_request')) throw error;
        return show(call, '', faultsOf(error), 422);
      }
    },
  };
}

/** Faults by field; those without a field are joined. */
function faultsOf({ errors, fields, message }: AppError): Faults {
  const all = errors.length > 0 ? errors : [{ param: String(fields.param), message }];
  const [beside, others] = [all.filter(isOfField), all.filter((each) => !isOfField(each))];
  const form = others.map((each) => each.message).join(' ');
  return {
    ...Object.fromEntries(beside.map(({ param = 'form', message }) => [param, message] as const)),
    ...(form && { form }),
  };
}

const isOfField = ({ param = '' }: { param?: string }) => filterNames.some((name) => name === param);

function list(
  call: MemberCall,
  { data, next_cursor: cursor }: ActivityPage,
  nameOf: KeyNames['nameOf'],
): Html {
  const chosen = chosenIn(call);
  const isFiltered = Object.keys(chosen).length > 0;
  const none = cursor
    ? 'None of the scrapes searched so far matches. Search older ones.'
    : isFiltered
      ? 'No scrape matches.'
      : 'No scrapes yet. They are listed here within seconds.';
  const older = new URLSearchParams();
  for (const [name, [value = '']] of Object.entries(chosen)) older.set(name, value);
  older.set('cursor', cursor ?? '');
  return html`${
      data.length === 0
        ? html`<p class="empty">${none}</p>`
        : html`<ol class="lines">
            ${data.map((line) => item(call, line, nameOf))}
          </ol>`
    }
    <p class="buttons">
      ${chosen.cursor && html`<a class="button" href="${call.at('/activity')}">Newest</a>`}
      ${cursor && html`<a class="button" rel="next" href="${call.at('/activity')}?${older.toString()}">Older</a>`}
    </p>`;
}

function item(call: MemberCall, line: ActivityView, nameOf: KeyNames['nameOf']): Html {
  const text = line.url.replace(/^https?:\/\//, '');
  const shown = text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
  const details = [
    kindOfOptions(line.options),
    counted(line.credits, 'credit'),
    `${(line.ms / 1_000).toFixed(1)} s`,
    nameOf(line.key_id),
  ];
  return html`<li>
    ${outcome(line)}
    <a href="${call.at(pathOf(line))}">${shown}</a>
    <span class="details">${details.join(' · ')}</span>
    ${moment(line.time)}
  </li>`;
}

/** A job is found by its id and its time, a sync scrape by its id alone. */
export const pathOf = ({ request_id: requestId, job_id: jobId = '', time }: ActivityView) =>
  requestId === undefined ? `/activity/${jobId}?time=${time}` : `/activity/${requestId}`;
