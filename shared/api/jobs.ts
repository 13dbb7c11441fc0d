import type { ErrorCode } from '../errors.ts';
import { JobsQuery } from '../contract/jobs/job-list.ts';
import { ResultQuery } from '../contract/scrape/slice.ts';
import { ofBody, ofCaller, ofRequest, ofStage } from './error-groups.ts';
import { failedJob, headOfFailedJob } from './openapi/errors.ts';
import { jobList, jobRequests, jobs, submitted } from './openapi/examples.ts';
import { aboutTarget, ofSlice, ofWait, target, validators } from './openapi/header-groups.ts';
import { anyBytes, anyPage, jsonOf, metered } from './openapi/media.ts';
import { idempotencyKey, inHeader, inQuery, jobId } from './openapi/parameters.ts';
import { conditions } from './openapi/conditions.ts';
import type { Route } from './route.ts';

const PAGE_PART = '<!doctype html>';

const ofResult: ErrorCode[] = [
  ...ofCaller,
  'not_found',
  'job_not_finished',
  'precondition_failed',
  'range_not_satisfiable',
  'too_many_concurrent',
  'busy',
];

const ofPage = [...target, ...ofSlice, ...validators];

const reads = { function: 'jobs', auth: 'key', bucket: 'read', tag: 'Jobs' } as const;
const submits = { ...reads, bucket: 'scrape' } as const;

export const jobRoutes = [
  {
    ...submits,
    method: 'POST',
    path: '/api/v1/scraper/jobs',
    operationId: 'submitJob',
    holds: true,
    summary: 'Submit a job',
    description:
      'A job gets up to 3 attempts if its error may be temporary, and finishes within `complete_within`, 15 minutes if absent. It is charged only if it completes. With `Prefer: wait=N` the response is the result, if the job finishes within N seconds.',
    body: jsonOf('JobRequest', jobRequests),
    parameters: [
      idempotencyKey('job'),
      ...inHeader({
        Prefer: {
          description:
            '`wait=N`, with N from 1 to 60: waits up to N seconds for the job and returns its result, as the result route does. A longer wait is cut to 60 seconds. If too many calls of the organization are already waiting, the response is the 202 at once.',
          schema: { type: 'string' },
          example: 'wait=30',
        },
      }),
    ],
    responses: {
      200: metered(
        'With `Prefer: wait=N`, the page of a job that completed in time.',
        [...ofPage, ...ofWait, 'Idempotent-Replayed'],
        anyBytes,
      ),
      202: metered(
        'The job was accepted.',
        ['Location', 'Retry-After', 'Idempotent-Replayed'],
        jsonOf('SubmittedJob', submitted),
      ),
      422: failedJob,
    },
    errors: [
      ...ofRequest,
      ...ofBody,
      'idempotency_in_flight',
      'idempotency_key_reused',
      'too_many_concurrent',
      ...ofStage,
      'busy',
    ],
  },
  {
    ...reads,
    method: 'GET',
    path: '/api/v1/scraper/jobs',
    operationId: 'listJobs',
    takesPlace: true,
    summary: 'List jobs',
    description:
      'The jobs of the organization, newest first, each on exactly one page. A page may have fewer jobs than `limit`, or none, and still have a `next_cursor`; it ends before 256 KB. A job is listed within seconds of its submit.',
    parameters: inQuery(JobsQuery),
    responses: { 200: metered('A page of the list.', ['Link'], jsonOf('JobList', jobList)) },
    errors: [...ofCaller, 'too_many_concurrent', 'busy'],
  },
  {
    ...reads,
    method: 'GET',
    path: '/api/v1/scraper/jobs/{job_id}',
    operationId: 'getJob',
    summary: "Get a job's status",
    description: 'A job moves from `pending` to `running` to `completed` or `failed`, and never back.',
    parameters: [jobId],
    responses: {
      200: metered(
        'The current state of the job. `Retry-After` is set until it has finished.',
        ['Retry-After'],
        jsonOf('Job', jobs),
      ),
    },
    errors: [...ofCaller, 'not_found', 'busy'],
  },
  {
    ...reads,
    method: 'POST',
    path: '/api/v1/scraper/jobs/{job_id}/cancel',
    operationId: 'cancelJob',
    summary: 'Cancel a job',
    description:
      'The job ends as `failed` with `error_code` `cancelled`, and nothing is charged. A running scrape is stopped within 2 seconds.',
    parameters: [jobId],
    responses: { 200: metered('The cancelled job.', [], jsonOf('Job', jobs)) },
    errors: [...ofCaller, 'not_found', 'job_finished', 'busy'],
  },
  {
    ...reads,
    method: 'DELETE',
    path: '/api/v1/scraper/jobs/{job_id}',
    operationId: 'deleteJob',
    summary: 'Delete a job',
    description: 'Deletes the job and its result at once. A job that has not finished is cancelled first.',
    parameters: [jobId],
    responses: { 204: metered('The job and its result are gone.', []) },
    errors: [...ofCaller, 'not_found', 'busy'],
  },
  {
    ...reads,
    method: 'GET',
    path: '/api/v1/scraper/jobs/{job_id}/result',
    operationId: 'getResult',
    summary: "Get a job's result",
    description:
      'The page, as a sync scrape would have returned it, kept for 30 days. For Markdown and text, `offset` and `max_chars` select a part, free of charge. Supports range and conditional requests. After the first 10 seconds, a response read at less than 64 KiB/s is cut off; for slow readers, `Prefer: respond-redirect` returns a link to the store instead.',
    parameters: [
      jobId,
      ...inQuery(ResultQuery),
      ...conditions,
      ...inHeader({
        Prefer: {
          description:
            '`respond-redirect`: redirect to the stored page if you accept the encoding it is stored in. See 303.',
          schema: { type: 'string' },
          example: 'respond-redirect',
        },
      }),
    ],
    responses: {
      200: metered('The page, or a part of its text.', ofPage, anyPage),
      206: metered('The part of the page that `Range` requests.', [...ofPage, 'Content-Range'], {
        '*/*': { schema: { type: 'string', format: 'binary' }, example: PAGE_PART },
      }),
      303: metered(
        'With `Prefer: respond-redirect`: a link to the page, valid for one minute and without the API key.',
        [...aboutTarget, 'Location', 'Preference-Applied'],
      ),
      304: metered('Your copy of the page is current.', validators),
      422: failedJob,
    },
    errors: ofResult,
  },
  {
    ...reads,
    method: 'HEAD',
    path: '/api/v1/scraper/jobs/{job_id}/result',
    operationId: 'headResult',
    summary: "Get the headers of a job's result",
    description: 'The headers of the result, without the page.',
    parameters: [jobId, ...inQuery(ResultQuery), ...conditions],
    responses: {
      200: metered('The headers of the whole page.', ofPage),
      206: metered('The headers of the requested part.', [...ofPage, 'Content-Range']),
      304: metered('Your copy of the page is current.', validators),
      422: headOfFailedJob,
    },
    errors: ofResult,
  },
] as const satisfies readonly Route[];
