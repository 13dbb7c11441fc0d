import type { Job, OpenJob } from '../../../shared/contract/jobs/job.ts';
import { creditsUsed, endOf, isFinished } from '../../../shared/domain/jobs/state.ts';
import type { MemberCall } from '../page-call.ts';
import { isRepeatable } from '../../../shared/contract/scrape/target-request.ts';
import { askButton } from './ask-page.ts';
import { count, counted } from './count.ts';
import { form } from './form.ts';
import { html, type Html } from '../html.ts';
import { layout } from './layout.ts';
import { moment } from './moment.ts';
import { type Row, rows } from './rows.ts';
import { withCode } from './with-code.ts';
import { reasonNames } from './words.ts';

export function jobPage(call: MemberCall, apiUrl: string, job: Job): Html {
  return page(call, jobCard(call, apiUrl, job));
}

export function missingJobPage(call: MemberCall): Html {
  return page(call, html`<p class="fault" role="alert">There is no such job.</p>`);
}

function page(call: MemberCall, content: Html): Html {
  const main = html`<h1>Job</h1>
    ${content}
    <p><a href="${call.at('/jobs')}">All jobs</a></p>`;
  return layout(call, { title: 'Job', main });
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
        ${withCode(job.error)}
        <a href="${apiUrl}/docs/errors/${job.errorCode}">What to do about ${job.errorCode}</a>
      </p>`
    }
    ${rows('rows', [...inAnyState(job), ...whenFinished(job), ...whenCompleted(job)])}
    ${job.status === 'completed' && download(call, job.id)}
    ${isFinished(job) ? again(call, job) : whileOpen(call, job.id)}
  </section>`;
}

/** What a job sent is deleted at its end, but for the URL and how it was fetched. */
function again(call: MemberCall, { id, request }: Job): Html | false {
  if (!isRepeatable(request)) return false;
  return html`<p class="hint">
      Runs again with the same URL and options. Headers, cookies and a scenario are not kept after the end of
      a job, so they are left out.
    </p>
    ${form(call, { action: '/run-again', hidden: { id, once: call.requestId }, submit: 'Run again', kind: 'plain' })}`;
}

function whileOpen(call: MemberCall, id: string): Html {
  return html`<p><a class="button" href="${call.at(`/jobs?id=${id}`)}">Show its state now</a></p>
    ${askButton(call, '/cancel-job', { id }, 'Cancel the job')}`;
}

function inAnyState(job: Job): Row[] {
  const startedAt = 'startedAt' in job ? job.startedAt : undefined;
  return [
    ['Submitted', moment(job.createdAt, 'second')],
    ...(startedAt ? [['First attempt', moment(startedAt, 'second')] as const] : []),
    ['Attempts', `${job.attempt} of 3 at most`],
    ...(job.tags?.length ? [['Tags', job.tags.join(' · ')] as const] : []),
    ['Request', html`<code>${job.requestId}</code>`],
  ];
}

function whenFinished(job: Job): Row[] {
  if (!isFinished(job)) return [...betweenAttempts(job), ['Settled by', moment(job.deadlineAt)]];
  return [
    ['Finished', moment(job.completedAt, 'second')],
    ...('startedAt' in job && job.startedAt
      ? [['Duration', durationOf(job.startedAt, job.completedAt)] as const]
      : []),
    ['Credits', `${counted(creditsUsed(job), 'credit')}. ${reasonNames[endOf(job).reason]}`],
    ['Kept until', moment(job.expiresAt)],
  ];
}

/** From the first attempt to the end, with pauses between attempts. */
const durationOf = (from: Date, to: Date) => `${count(to.getTime() - from.getTime())} ms`;

function betweenAttempts({ lastError, nextAttemptAt }: OpenJob): Row[] {
  return [
    ...(lastError ? [['Last error', withCode(lastError.message)] as const] : []),
    ...(nextAttemptAt ? [['Next attempt', moment(nextAttemptAt)] as const] : []),
  ];
}

function whenCompleted(job: Job): Row[] {
  if (job.status !== 'completed') return [];
  return [
    ['Status', `${job.targetStatus} from the target`],
    ['Final URL', job.targetUrl],
    ['Result', `${count(job.bytes)} bytes, ${job.contentType ?? 'of unknown type'}`],
  ];
}

const download = (call: MemberCall, id: string) =>
  html`<p><a class="button" href="${call.at(`/job-result?id=${id}`)}">Download the result</a></p>`;
