import type { Job } from '../../../shared/contract/job.ts';
import { creditsUsed, endOf, isFinished } from '../../../shared/domain/job/state.ts';
import type { MemberCall } from '../page-call.ts';
import { count, counted } from './count.ts';
import { html, type Html } from './html.ts';
import { layout } from './layout.ts';
import { moment } from './moment.ts';
import { type Row, rows } from './rows.ts';
import { reasonNames } from './words.ts';

type Shown = { apiUrl: string; id?: string; job?: Job };

export function jobsPage(call: MemberCall, { apiUrl, id = '', job }: Shown): Html {
  const isMissing = id !== '' && job === undefined;
  const main = html`<h1>Jobs</h1>
    <p class="lead">
      Shows a job by the <code>job_id</code> that its submit returned, for 30 days after it finished. Jobs are
      not listed here; those that finished are in <a href="${call.at('/activity')}">Activity</a>.
    </p>
    <form method="get" action="${call.at('/jobs')}" class="picker" role="search">
      <div class="field job-id">
        <label for="id">Job id</label>
        <input
          id="id"
          name="id"
          value="${id}"
          required
          maxlength="100"
          autocomplete="off"
          autocapitalize="none"
          spellcheck="false"
          ${isMissing ? html`aria-invalid="true" aria-describedby="id-fault"` : ''}
        />
      </div>
      <button class="primary">Show</button>
    </form>
    ${isMissing && html`<p class="fault" id="id-fault" role="alert">There is no such job.</p>`}
    ${job && jobCard(call, apiUrl, job)}`;
  return layout(call, { title: 'Jobs', main });
}

const stateNames: Readonly<Record<Job['status'], string>> = {
  pending: 'Pending: it waits for a worker.',
  running: 'Running.',
  completed: 'Completed.',
  failed: 'Failed.',
};

function jobCard(call: MemberCall, apiUrl: string, job: Job): Html {
  return html`<section class="card" aria-labelledby="job">
    <h2 id="job">${job.request.url}</h2>
    <p class="state ${job.status === 'completed' ? 'done' : ''}">${stateNames[job.status]}</p>
    ${
      job.status === 'failed' &&
      html`<p>
        ${job.error} <a href="${apiUrl}/docs/errors/${job.errorCode}">What to do about ${job.errorCode}</a>
      </p>`
    }
    ${rows('rows', [...inAnyState(job), ...whenFinished(job), ...whenCompleted(job)])}
    ${job.status === 'completed' && download(call, job.id)}
    ${!isFinished(job) && html`<p><a class="button" href="${call.at(`/jobs?id=${job.id}`)}">Show its state now</a></p>`}
  </section>`;
}

function inAnyState(job: Job): Row[] {
  const startedAt = 'startedAt' in job ? job.startedAt : undefined;
  return [
    ['Submitted', moment(job.createdAt)],
    ...(startedAt ? [['First attempt', moment(startedAt)] as const] : []),
    ['Attempts', `${job.attempt} of 3 at most`],
    ['Request', html`<code>${job.requestId}</code>`],
  ];
}

function whenFinished(job: Job): Row[] {
  if (!isFinished(job)) return [['Settled by', moment(job.deadlineAt)]];
  return [
    ['Finished', moment(job.completedAt)],
    ['Credits', `${counted(creditsUsed(job), 'credit')}. ${reasonNames[endOf(job).reason]}`],
    ['Deleted', moment(job.expiresAt)],
  ];
}

function whenCompleted(job: Job): Row[] {
  if (job.status !== 'completed') return [];
  return [
    ['Status', `${job.targetStatus} from the target`],
    ['Final URL', job.targetUrl],
    ['Result', `${count(job.bytes)} bytes, ${job.contentType ?? 'of no type'}`],
  ];
}

const download = (call: MemberCall, id: string) =>
  html`<p><a class="button" href="${call.at(`/job-result?id=${id}`)}">Download the result</a></p>`;
