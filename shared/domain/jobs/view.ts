import { snakeKeys } from '../../contract/case.ts';
import type { CompletedJob, FailedJob, Job, JobView, OpenJob } from '../../contract/jobs/job.ts';
import type { PageHead } from '../../contract/scrape/page.ts';
import { WhereFailed } from '../../contract/jobs/job.ts';
import { creditsUsed, endOf, isFinished } from './state.ts';

/** A job as its caller sees it. */
export function jobView(job: Job): JobView {
  return {
    ...snakeKeys({
      jobId: job.id,
      status: job.status,
      url: job.request.url,
      tags: job.tags,
      createdAt: job.createdAt.toISOString(),
      startedAt: job.status === 'pending' ? undefined : job.startedAt?.toISOString(),
      attempts: job.attempt,
      creditsUsed: isFinished(job) ? creditsUsed(job) : 0,
    }),
    ...(isFinished(job) ? whenFinished(job) : whileOpen(job)),
  };
}

function whileOpen({ nextAttemptAt, lastError }: OpenJob) {
  return snakeKeys({ nextAttemptAt: nextAttemptAt?.toISOString(), lastError });
}

function whenFinished(job: CompletedJob | FailedJob) {
  const { completedAt, expiresAt } = job;
  const ended = {
    completedAt: completedAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    creditsReason: endOf(job).reason,
  };
  if (job.status === 'failed')
    return { ...snakeKeys({ ...ended, error: job.error, errorCode: job.errorCode }), ...whereFailedOf(job) };
  const page = {
    targetStatus: job.targetStatus,
    targetUrl: job.targetUrl,
    contentType: job.contentType,
    bytes: job.bytes,
    documentType: job.document?.kind,
    documentPages: job.document?.pages,
    modelTokens: job.modelTokens,
    extractTruncated: job.extractTruncated,
    renderState: job.renderState,
    renderWaiting: job.renderWaiting,
    contentTruncated: job.contentTruncated,
    modeTried: job.modeTried,
    cache: job.cache,
    age: job.age,
    verdict: job.verdict?.kind,
    verdictBy: job.verdict?.by,
  };
  return snakeKeys({ ...ended, ...page });
}

/** The page on which a scenario failed. */
function whereFailedOf({ errorFields = {} }: FailedJob) {
  return WhereFailed.parse(errorFields);
}

/** The head of the page that a completed job has stored. */
export function pageHead(job: CompletedJob): PageHead {
  return {
    status: job.targetStatus,
    url: job.targetUrl,
    redirects: job.targetRedirects,
    contentType: job.contentType,
    renderState: job.renderState,
    renderWaiting: job.renderWaiting,
    contentTruncated: job.contentTruncated,
    ...(job.scenario && { scenario: job.scenario }),
    verdict: job.verdict,
    content: job.content,
    document: job.document,
    modelTokens: job.modelTokens,
    extractTruncated: job.extractTruncated,
    rung: job.rung,
    modeTried: job.modeTried,
    cache: job.cache,
  };
}
