import { type Job, JobId, type SubmittedJob } from '../../shared/contract/jobs/job.ts';
import { JobsQuery } from '../../shared/contract/jobs/job-list.ts';
import { ResultQuery } from '../../shared/contract/scrape/slice.ts';
import { isFinished } from '../../shared/domain/jobs/state.ts';
import { jobView } from '../../shared/domain/jobs/view.ts';
import type { AuthenticatedCall } from '../../shared/http/call.ts';
import { fitting, listReply } from '../../shared/http/list-reply.ts';
import type { Operations } from '../../shared/http/respond.ts';
import { type TargetPolicy, jobRequestFromBody } from '../../shared/request/parse-scrape-request.ts';
import { idempotencyKey, replayedHeader } from '../../shared/http/idempotency.ts';
import { json, type Reply } from '../../shared/http/reply.ts';
import type { Effects } from '../../shared/ports/effects.ts';
import { readQuery } from '../../shared/request/read-query.ts';
import { cancelJob } from '../../shared/use-cases/jobs/cancel-job.ts';
import { deleteJob } from '../../shared/use-cases/jobs/delete-job.ts';
import type { FinishNeeds } from '../../shared/use-cases/jobs/finish-job.ts';
import { findJob } from '../../shared/use-cases/jobs/find-job.ts';
import { listJobs } from '../../shared/use-cases/jobs/list-jobs.ts';
import { getResult, headResult } from './get-result.ts';
import { pollSeconds } from './poll-seconds.ts';
import { type Submitted, submitJob } from './submit-job.ts';
import { resultOnSubmit } from './result-on-submit.ts';

type Needs = FinishNeeds & Pick<Effects, 'waitList' | 'apiUrl' | 'queue' | 'results' | 'newId' | 'wait'>;

export function jobOperations(fx: Needs, policy: TargetPolicy): Operations<'jobs'> {
  const wanted = (call: AuthenticatedCall) => findJob(fx, orgOf(call), jobId(call));
  const shown = (job: Job) =>
    json(200, jobView(job), isFinished(job) ? {} : { 'Retry-After': pollSeconds(job, fx.now()) });

  return {
    submitJob: async (call) => {
      const request = jobRequestFromBody(call, policy);
      const accepted = await submitJob(fx, request, idempotencyKey(call), call);
      const reply = (await resultOnSubmit(fx, accepted, call)) ?? submitted(fx, accepted, call);
      return { ...reply, headers: { ...reply.headers, ...replayedHeader(accepted) } };
    },

    listJobs: async (call) => {
      const isFull = (found: readonly Job[]) => fitting(found.map(jobView)) < found.length;
      const { jobs, nextCursor } = await listJobs(fx, orgOf(call), readQuery(call, JobsQuery), isFull);
      return listReply(call, jobs, { viewOf: jobView, positionOf: ({ id }) => id, nextCursor });
    },

    getJob: async (call) => shown(await wanted(call)),

    cancelJob: async (call) => shown(await cancelJob(fx, orgOf(call), jobId(call))),

    deleteJob: async (call) => {
      await deleteJob(fx, orgOf(call), jobId(call));
      return { status: 204, headers: {}, body: '' };
    },

    getResult: async (call) => {
      const query = readQuery(call, ResultQuery);
      return getResult(fx, await wanted(call), query, call);
    },

    headResult: async (call) => {
      const query = readQuery(call, ResultQuery);
      return headResult(fx, await wanted(call), query, call);
    },
  };
}

function submitted(
  { apiUrl }: Pick<Effects, 'apiUrl'>,
  { job }: Submitted,
  { sentPath }: AuthenticatedCall,
): Reply {
  const statusUrl = `${apiUrl}/api/v1/scraper/jobs/${job.id}`;
  const body: SubmittedJob = {
    job_id: job.id,
    status: 'pending',
    created_at: job.createdAt.toISOString(),
    status_url: statusUrl,
    result_url: `${statusUrl}/result`,
  };
  return json(202, body, { Location: `${sentPath}/${job.id}`, 'Retry-After': '1' });
}

const orgOf = ({ session }: AuthenticatedCall) => session.organization.id;

function jobId({ params: { job_id: id = '' }, requestLog }: AuthenticatedCall): string {
  if (JobId.safeParse(id).success) requestLog.note({ jobId: id });
  return id;
}
