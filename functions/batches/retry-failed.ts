import type { FinishedJob } from '../../shared/contract/jobs/job.ts';
import type { BatchItem, RetryRequest } from '../../shared/contract/batches/batch-request.ts';
import { endOf } from '../../shared/domain/jobs/state.ts';
import { AppError } from '../../shared/errors.ts';
import type { AuthenticatedCall } from '../../shared/http/call.ts';
import type { Effects } from '../../shared/ports/effects.ts';
import { findBatch } from '../../shared/use-cases/batches/find-batch.ts';
import { settledJobs } from '../../shared/use-cases/batches/settled-jobs.ts';
import type { WantedBatch } from '../../shared/request/parse-batch-request.ts';

type Needs = Pick<Effects, 'batches' | 'jobs' | 'now'>;

const MAX_NAMED = 20;

/**
 * Requests of a batch by how they ended, as a batch. Throws `not_found`, `nothing_to_retry`, and
 * `request_not_kept` if one of them had headers, cookies, a body or a scenario,
 * which are deleted when a job ends.
 */
export async function failedRequests(
  fx: Needs,
  { session, params }: Pick<AuthenticatedCall, 'session' | 'params'>,
  include: RetryRequest['include'],
): Promise<WantedBatch> {
  const batch = await findBatch(fx, session.organization.id, params['batch_id'] ?? '');
  const { completed, failed } = await fx.batches.progress(batch);
  const uncharged = [...completed].filter(([, credits]) => credits === 0).map(([index]) => index);
  // A caller may have deleted some.
  const found = await settledJobs(fx, batch.id, [...failed, ...uncharged]);
  const isWanted = (job: FinishedJob) =>
    include.some((end) => end === (job.status === 'failed' ? job.status : endOf(job).reason));
  const jobs = found.filter(isWanted).sort((a, b) => (a.id < b.id ? -1 : 1));
  if (jobs.length === 0) throw new AppError('nothing_to_retry');
  assertKept(jobs);
  const items = jobs.map(({ request, customId, tags, retryOn }): BatchItem => ({
    ...request,
    customId,
    tags,
    retryOn,
  }));
  return { items, tags: undefined, completeWithin: undefined, maxCredits: undefined, webhook: undefined };
}

function assertKept(jobs: readonly FinishedJob[]): void {
  const stripped = jobs.filter((job) => job.isStripped);
  const [first] = stripped;
  if (first === undefined) return;
  const named = stripped.slice(0, MAX_NAMED).map((job) => job.customId ?? job.id);
  throw new AppError('request_not_kept', {
    message: `${stripped.length} of these ${jobs.length} jobs had headers, cookies, a body or a scenario, which are deleted when a job ends. Send these requests again in a batch of your own: ${named.join(', ')}.`,
    fields: { job_id: first.id },
  });
}
