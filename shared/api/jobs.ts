import type { ErrorCode } from '../errors.ts';
import { ofBody, ofCaller, ofRequest } from './error-groups.ts';
import { failedJob, headOfFailedJob } from './openapi/errors.ts';
import { jobs, requests, submitted } from './openapi/examples.ts';
import { aboutTarget, target, validators } from './openapi/headers.ts';
import { anyBytes, jsonOf, metered } from './openapi/media.ts';
import { inHeader, jobId } from './openapi/parameters.ts';
import { conditions } from './openapi/conditions.ts';
import type { Route } from './route.ts';

const PAGE_PART = '<!doctype html>';

const ofResult: ErrorCode[] = [
  ...ofCaller,
  'not_found',
  'job_not_finished',
  'precondition_failed',
  'range_not_satisfiable',
  'busy',
];

export const jobRoutes = [
  {
    method: 'POST',
    path: '/api/v1/scraper/jobs',
    operationId: 'submitJob',
    function: 'jobs',
    auth: 'key',
    bucket: 'scrape',
    tag: 'Jobs',
    summary: 'Submit a job',
    description:
      'A job gets up to 3 attempts if its error may be temporary, and finishes within 15 minutes. It is charged only if it completes.',
    body: jsonOf('ScrapeRequest', requests),
    parameters: inHeader({
      'Idempotency-Key': {
        description:
          'Makes a retry safe: for 24 hours, the same key with the same body returns the same job.',
        schema: { type: 'string', minLength: 1, maxLength: 255 },
        example: 'order-4711',
      },
    }),
    responses: {
      202: metered(
        'The job was accepted.',
        ['Location', 'Retry-After', 'Idempotent-Replayed'],
        jsonOf('SubmittedJob', submitted),
      ),
    },
    errors: [
      ...ofRequest,
      ...ofBody,
      'idempotency_in_flight',
      'idempotency_key_reused',
      'premium_proxy_unavailable',
      'busy',
    ],
  },
  {
    method: 'GET',
    path: '/api/v1/scraper/jobs/{job_id}',
    operationId: 'getJob',
    function: 'jobs',
    auth: 'key',
    bucket: 'read',
    tag: 'Jobs',
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
    method: 'GET',
    path: '/api/v1/scraper/jobs/{job_id}/result',
    operationId: 'getResult',
    function: 'jobs',
    auth: 'key',
    bucket: 'read',
    tag: 'Jobs',
    summary: "Get a job's result",
    description:
      'The page, as a sync scrape would have returned it, kept for 30 days. Supports range and conditional requests. After the first 10 seconds, a response that is read at less than 64 KiB/s is cut off; for slow readers, `Prefer: respond-redirect` returns a link to the store instead.',
    parameters: [
      jobId,
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
      200: metered('The page.', [...target, ...validators], anyBytes),
      206: metered(
        'The part of the page that `Range` requests.',
        [...target, ...validators, 'Content-Range'],
        {
          '*/*': { schema: { type: 'string', format: 'binary' }, example: PAGE_PART },
        },
      ),
      303: metered(
        'With `Prefer: respond-redirect`: a link to the page, valid for one minute and without the API key.',
        [...aboutTarget, 'Location', 'Preference-Applied'],
      ),
      304: metered('Your copy of the page is current.', validators),
      422: failedJob,
    },
    errors: [...ofResult, 'too_many_concurrent'],
  },
  {
    method: 'HEAD',
    path: '/api/v1/scraper/jobs/{job_id}/result',
    operationId: 'headResult',
    function: 'jobs',
    auth: 'key',
    bucket: 'read',
    tag: 'Jobs',
    summary: "Get the headers of a job's result",
    description: 'The headers of the result, without the page.',
    parameters: [jobId, ...conditions],
    responses: {
      200: metered('The headers of the whole page.', [...target, ...validators]),
      206: metered('The headers of the requested part.', [...target, ...validators, 'Content-Range']),
      304: metered('Your copy of the page is current.', validators),
      422: headOfFailedJob,
    },
    errors: ofResult,
  },
] as const satisfies readonly Route[];
