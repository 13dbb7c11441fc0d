import type { FunctionName } from '../config.ts';
import type { Bucket } from '../domain/admission.ts';

export type Route = {
  method: 'GET' | 'POST';
  /** With `{name}` for a path parameter, as API Gateway writes it. */
  path: string;
  operationId: string;
  /** The function that answers it. */
  function: FunctionName;
  /** Which rate limit bucket it draws from. Absent on routes that need no API key. */
  bucket?: Bucket;
  summary: string;
};

/** Everything the service answers. Router, API Gateway's resources and the OpenAPI document derive from this list. */
export const routes = [
  {
    method: 'POST',
    path: '/api/v1/scraper',
    operationId: 'scrape',
    function: 'scraper',
    bucket: 'scrape',
    summary: 'Fetch a page and wait for it.',
  },
  {
    method: 'GET',
    path: '/api/v1/scraper',
    operationId: 'scrapeSimple',
    function: 'scraper',
    bucket: 'scrape',
    summary: 'The same with the fields in the query string.',
  },
  {
    method: 'POST',
    path: '/api/v1/scraper/jobs',
    operationId: 'submitJob',
    function: 'jobs',
    bucket: 'scrape',
    summary: 'Have a page fetched in the background.',
  },
  {
    method: 'GET',
    path: '/api/v1/scraper/jobs/{job_id}',
    operationId: 'getJob',
    function: 'jobs',
    bucket: 'read',
    summary: 'How a job is getting on.',
  },
  {
    method: 'GET',
    path: '/api/v1/scraper/jobs/{job_id}/result',
    operationId: 'getResult',
    function: 'jobs',
    bucket: 'read',
    summary: 'The page that a completed job fetched.',
  },
  {
    method: 'GET',
    path: '/healthz',
    operationId: 'health',
    function: 'meta',
    summary: 'Whether the service answers.',
  },
  {
    method: 'GET',
    path: '/openapi.json',
    operationId: 'openapi',
    function: 'meta',
    summary: 'This document.',
  },
] as const satisfies readonly Route[];

export type AnyRoute = (typeof routes)[number];
export type OperationId = AnyRoute['operationId'];
