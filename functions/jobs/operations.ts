import { type Job, JobId, type JobView, type SubmittedJob } from '../../shared/contract/job.ts';
import { creditsUsed, isFinished } from '../../shared/domain/job/state.ts';
import { AppError } from '../../shared/errors.ts';
import type { AuthenticatedCall } from '../../shared/http/call.ts';
import type { Operations } from '../../shared/http/respond.ts';
import { type TargetPolicy, scrapeRequestFromBody } from '../../shared/request/parse-scrape-request.ts';
import { json, type Reply } from '../../shared/http/reply.ts';
import { snakeKeys } from '../../shared/contract/case.ts';
import type { Effects } from '../../shared/ports.ts';
import { findJob } from '../../shared/use-cases/find-job.ts';
import { getResult, headResult, POLL_SECONDS } from './get-result.ts';
import { type Submitted, submitJob } from './submit-job.ts';

type Needs = Pick<Effects, 'jobs' | 'queue' | 'results' | 'now' | 'newId'>;

const POLL_LATER = { 'Retry-After': String(POLL_SECONDS) };
const MAX_IDEMPOTENCY_KEY = 255;

export function jobOperations(fx: Needs, policy: TargetPolicy): Operations<'jobs'> {
  const wanted = (call: AuthenticatedCall) => findJob(fx, call.session.organization.id, jobId(call));

  return {
    submitJob: async (call) => {
      const request = scrapeRequestFromBody(call, policy);
      return submitted(await submitJob(fx, request, idempotencyKey(call), call), call);
    },

    getJob: async (call) => {
      const job = await wanted(call);
      return json(200, view(job), isFinished(job) ? {} : POLL_LATER);
    },

    getResult: async (call) => getResult(fx, await wanted(call), call),

    headResult: async (call) => headResult(await wanted(call), call),
  };
}

function submitted({ job, isReplayed }: Submitted, { sentPath }: AuthenticatedCall): Reply {
  const statusUrl = `${sentPath}/${job.id}`;
  const body: SubmittedJob = {
    job_id: job.id,
    status: 'pending',
    created_at: job.createdAt.toISOString(),
    status_url: statusUrl,
    result_url: `${statusUrl}/result`,
  };
  const replayed = isReplayed ? { 'Idempotent-Replayed': 'true' } : {};
  return json(202, body, { Location: statusUrl, ...POLL_LATER, ...replayed });
}

function view(job: Job): JobView {
  return snakeKeys({
    jobId: job.id,
    status: job.status,
    url: job.request.url,
    createdAt: job.createdAt.toISOString(),
    startedAt: 'startedAt' in job ? job.startedAt?.toISOString() : undefined,
    completedAt: isFinished(job) ? job.completedAt.toISOString() : undefined,
    expiresAt: isFinished(job) ? job.expiresAt.toISOString() : undefined,
    attempts: job.attempt,
    creditsUsed: isFinished(job) ? creditsUsed(job) : 0,
    targetStatus: job.status === 'completed' ? job.targetStatus : undefined,
    targetUrl: job.status === 'completed' ? job.targetUrl : undefined,
    error: job.status === 'failed' ? job.error : undefined,
    errorCode: job.status === 'failed' ? job.errorCode : undefined,
  });
}

/** Absent, or 1 to 255 characters; the quotes of a structured string are not part of it. */
function idempotencyKey({ headers }: AuthenticatedCall): string | undefined {
  const sent = headers['idempotency-key'];
  if (sent === undefined) return undefined;
  const key = sent.trim().replace(/^"(.*)"$/, '$1');
  if (key.length > 0 && key.length <= MAX_IDEMPOTENCY_KEY) return key;
  throw new AppError('invalid_request', {
    message: "Invalid value for 'Idempotency-Key': expected 1 to 255 characters.",
    fields: { param: 'Idempotency-Key' },
  });
}

function jobId({ params: { job_id: id = '' }, trail }: AuthenticatedCall): string {
  if (JobId.safeParse(id).success) trail.note({ jobId: id });
  return id;
}
