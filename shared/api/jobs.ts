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
      'The job is tried up to 3 times while its error may pass, and settled within 15 minutes. It is charged when it completes.',
    body: jsonOf('ScrapeRequest', requests),
    parameters: inHeader({
      'Idempotency-Key': {
        description: 'The same key with the same body gives the same job, for 24 hours.',
        schema: { type: 'string', minLength: 1, maxLength: 255 },
        example: 'order-4711',
      },
    }),
    responses: {
      202: metered(
        'The job is accepted.',
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
    description: 'From `pending` to `running` to `completed` or `failed`, and never back.',
    parameters: [jobId],
    responses: {
      200: metered(
        'The job as it stands; with `Retry-After` until it is settled.',
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
      'What the scrape would have answered by itself, for 30 days. Supports range and conditional requests. Read at less than 64 KiB/s, the first 10 seconds not counted, it is ended; `Prefer: respond-redirect` leaves the reading to the store.',
    parameters: [
      jobId,
      ...conditions,
      ...inHeader({
        Prefer: {
          description:
            '`respond-redirect`: where the caller accepts what is stored, the answer leads to the store. See 303.',
          schema: { type: 'string' },
          example: 'respond-redirect',
        },
      }),
    ],
    responses: {
      200: metered('The page itself.', [...target, ...validators], anyBytes),
      206: metered(
        'The part of the page that `Range` asks for.',
        [...target, ...validators, 'Content-Range'],
        {
          '*/*': { schema: { type: 'string', format: 'binary' }, example: PAGE_PART },
        },
      ),
      303: metered(
        'With `Prefer: respond-redirect`: where the page is to be fetched within a minute, without the API key.',
        [...aboutTarget, 'Location', 'Preference-Applied'],
      ),
      304: metered('The page you have is still the same.', validators),
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
      200: metered('As the page would be sent.', [...target, ...validators]),
      206: metered('As the part of the page would be sent.', [...target, ...validators, 'Content-Range']),
      304: metered('The page you have is still the same.', validators),
      422: headOfFailedJob,
    },
    errors: ofResult,
  },
] as const satisfies readonly Route[];
