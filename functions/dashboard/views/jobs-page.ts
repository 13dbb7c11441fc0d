import type { Job } from '../../../shared/contract/jobs/job.ts';
import { creditsUsed, isFinished } from '../../../shared/domain/jobs/state.ts';
import type { MemberCall } from '../page-call.ts';
import { count } from './count.ts';
import { field } from './form.ts';
import type { Faults } from '../faults-of.ts';
import { html, type Html } from '../html.ts';
import { layout } from './layout.ts';
import type { Column } from './list-table.ts';
import { moment } from './moment.ts';
import { chosenIn, pagedList, shownUrl } from './paged-list.ts';
import { select } from './select.ts';
import { kindOfOptions } from './words.ts';

type Listed = { jobs: readonly Job[]; nextCursor?: string };

/** Fields of the filter, by the names of the API. */
export const jobFilters = ['status', 'tag'] as const;

const statusNames = { pending: 'Pending', running: 'Running', completed: 'Completed', failed: 'Failed' };

export function jobsPage(call: MemberCall, listed: Listed, faults: Faults = {}): Html {
  const main = html`<h1>Jobs</h1>
    <p class="lead">The jobs of your organization, newest first, for 30 days after they finish.</p>
    ${filters(call, faults)} ${Object.keys(faults).length === 0 && list(call, listed)}`;
  return layout(call, { title: 'Jobs', main });
}

/** Sent in the address, so that a filtered list can be kept as a bookmark. */
function filters(call: MemberCall, faults: Faults): Html {
  const value = (name: string) => chosenIn(call)[name]?.[0] ?? '';
  const isUsed = jobFilters.some((name) => value(name) !== '') || Object.keys(faults).length > 0;
  const options = Object.entries({ '': 'Any', ...statusNames }).map(([name, label]) => ({
    value: name,
    label,
  }));
  const { form, status, tag } = faults;
  return html`<details class="card filters" ${isUsed ? 'open' : ''}>
    <summary>Filter</summary>
    <form action="${call.at('/jobs')}">
      ${form && html`<p class="fault" role="alert">${form}</p>`}
      <div class="fields">
        ${select({ id: 'status', name: 'status', label: 'State', options, chosen: value('status'), fault: status })}
        ${field('tag', { name: 'tag', label: 'Tag', value: value('tag'), isOptional: true }, tag)}
        ${field('id', { name: 'id', label: 'Job id', isOptional: true }, undefined)}
      </div>
      <p class="buttons">
        <button class="primary">Apply</button>
        ${isUsed && html`<a class="button" href="${call.at('/jobs')}">Clear</a>`}
      </p>
    </form>
  </details>`;
}

function list(call: MemberCall, { jobs, nextCursor }: Listed): Html {
  return pagedList(call, {
    ...{ path: '/jobs', columns, cursor: nextCursor, filters: jobFilters, name: 'job', legend },
    rows: jobs.map((job) => cells(call, job)),
    none: 'There are no jobs yet. What is submitted as a job is listed here within seconds.',
  });
}

const columns: readonly Column[] = [
  { name: 'State', style: 'badge' },
  { name: 'Page', style: 'main' },
  { name: 'Kind', style: 'text' },
  { name: 'Tags', style: 'text' },
  { name: 'Credits', style: 'number' },
  { name: 'Took, ms', style: 'number' },
  { name: 'Submitted', style: 'time' },
];

const legend = html`<p class="legend">
  <span><span class="badge good">Completed</span> has a result, whatever the status of its page</span>
  <span><span class="badge bad">Failed</span> has none, and costs nothing</span>
</p>`;

function cells(call: MemberCall, job: Job) {
  const { url, mode, renderJs, premiumProxy } = job.request;
  const kind = { completed: 'good', failed: 'bad', pending: '', running: '' }[job.status];
  const took =
    isFinished(job) && job.startedAt ? job.completedAt.getTime() - job.startedAt.getTime() : undefined;
  return [
    html`<span class="badge ${kind}">${statusNames[job.status]}</span>`,
    html`<a href="${call.at(`/jobs?id=${job.id}`)}">${shownUrl(url)}</a>`,
    kindOfOptions({ mode, render_js: renderJs, premium_proxy: premiumProxy }),
    (job.tags ?? []).join(' · '),
    isFinished(job) ? count(creditsUsed(job)) : '',
    took === undefined ? '' : count(took),
    moment(job.createdAt, 'second'),
  ];
}
