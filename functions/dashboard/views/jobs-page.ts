import type { Job } from '../../../shared/contract/jobs/job.ts';
import { creditsUsed, isFinished } from '../../../shared/domain/jobs/state.ts';
import type { MemberCall } from '../page-call.ts';
import { counted } from './count.ts';
import { field } from './form.ts';
import type { Faults } from '../faults-of.ts';
import { html, type Html } from '../html.ts';
import { layout } from './layout.ts';
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
  const items = jobs.map((job) => item(call, job));
  return pagedList(call, {
    ...{ path: '/jobs', items, cursor: nextCursor, filters: jobFilters, name: 'job', style: 'jobs' },
    none: 'There are no jobs yet. What is submitted as a job is listed here within seconds.',
  });
}

function item(call: MemberCall, job: Job): Html {
  const { url, mode, renderJs, premiumProxy } = job.request;
  const details = [
    kindOfOptions({ mode, render_js: renderJs, premium_proxy: premiumProxy }),
    ...(isFinished(job) ? [counted(creditsUsed(job), 'credit')] : []),
    ...(job.tags ?? []),
  ];
  const kind = { completed: 'good', failed: 'bad', pending: '', running: '' }[job.status];
  return html`<li>
    <span class="badge ${kind}">${statusNames[job.status]}</span>
    <a href="${call.at(`/jobs?id=${job.id}`)}">${shownUrl(url)}</a>
    <span class="details">${details.join(' · ')}</span>
    ${moment(job.createdAt)}
  </li>`;
}
