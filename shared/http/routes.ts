import type { FunctionName } from '../config.ts';
import type { Bucket } from '../domain/admission.ts';

export type Tag = 'Scrape' | 'Jobs' | 'Service';

export type Route = {
  method: 'GET' | 'HEAD' | 'POST';
  /** With `{name}` for a path parameter, as API Gateway writes it. */
  path: string;
  operationId: string;
  /** The function that answers it. */
  function: FunctionName;
  /** Which rate limit bucket it draws from. Absent on routes that need no API key. */
  bucket?: Bucket;
  /** Its operation takes the place in the bucket itself, in one write with what it holds. */
  holds?: true;
  tag: Tag;
  summary: string;
  description: string;
};

/** Everything the service answers. Router, API Gateway's resources and the OpenAPI document derive from this list. */
export const routes = [
  {
    method: 'POST',
    path: '/api/v1/scraper',
    operationId: 'scrape',
    function: 'scraper',
    bucket: 'scrape',
    holds: true,
    tag: 'Scrape',
    summary: 'Fetch a page and wait for it',
    description:
      'The answer is the page itself. That the target answered 404 or 500 is no error here: `X-Target-Status` says so. Read at less than 64 KiB/s, the first 10 seconds not counted, it is ended, and costs nothing.',
  },
  {
    method: 'GET',
    path: '/api/v1/scraper',
    operationId: 'scrapeSimple',
    function: 'scraper',
    bucket: 'scrape',
    holds: true,
    tag: 'Scrape',
    summary: 'Fetch a page, with the fields in the query string',
    description:
      'The same as by POST, but for `headers`. Booleans are `true`, `false`, `1` or `0`. No parameter may be given twice.',
  },
  {
    method: 'POST',
    path: '/api/v1/scraper/jobs',
    operationId: 'submitJob',
    function: 'jobs',
    bucket: 'scrape',
    tag: 'Jobs',
    summary: 'Have a page fetched in the background',
    description:
      'The job is tried up to 3 times while its error may pass, and settled within 15 minutes. It is charged when it completes.',
  },
  {
    method: 'GET',
    path: '/api/v1/scraper/jobs/{job_id}',
    operationId: 'getJob',
    function: 'jobs',
    bucket: 'read',
    tag: 'Jobs',
    summary: 'How a job is getting on',
    description: 'From `pending` to `running` to `completed` or `failed`, and never back.',
  },
  {
    method: 'GET',
    path: '/api/v1/scraper/jobs/{job_id}/result',
    operationId: 'getResult',
    function: 'jobs',
    bucket: 'read',
    tag: 'Jobs',
    summary: 'The page that a completed job fetched',
    description:
      'What the scrape would have answered by itself, for 30 days. Supports range and conditional requests. Read at less than 64 KiB/s, the first 10 seconds not counted, it is ended; `Prefer: respond-redirect` leaves the reading to the store.',
  },
  {
    method: 'HEAD',
    path: '/api/v1/scraper/jobs/{job_id}/result',
    operationId: 'headResult',
    function: 'jobs',
    bucket: 'read',
    tag: 'Jobs',
    summary: "What a job's result is like",
    description: 'The headers of the result, without the page.',
  },
  {
    method: 'GET',
    path: '/healthz',
    operationId: 'health',
    function: 'meta',
    tag: 'Service',
    summary: 'Whether the service answers',
    description: 'Touches nothing behind the API: a load balancer may ask as often as it likes.',
  },
  {
    method: 'GET',
    path: '/openapi.json',
    operationId: 'openapi',
    function: 'meta',
    tag: 'Service',
    summary: 'This document',
    description: 'For code generators and for the reference page.',
  },
  {
    method: 'GET',
    path: '/docs',
    operationId: 'docs',
    function: 'meta',
    tag: 'Service',
    summary: 'The reference page',
    description: 'This document for people, who can try the API there with a key of their own.',
  },
  {
    method: 'GET',
    path: '/docs/{file}',
    operationId: 'docsFile',
    function: 'meta',
    tag: 'Service',
    summary: 'What the reference page is made of',
    description: 'Its scripts and styles. No other host is asked for anything.',
  },
] as const satisfies readonly Route[];

export type AnyRoute = (typeof routes)[number];
export type OperationId = AnyRoute['operationId'];
