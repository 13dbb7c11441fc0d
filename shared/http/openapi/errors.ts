import { catalogue, type ErrorCode, errorCodes } from '../../errors.ts';
import type { OperationId } from '../routes.ts';
import { errorExample } from './examples.ts';
import { always, type HeaderName, headersOf, usage } from './headers.ts';
import { type Json, jsonOf } from './schema.ts';

/** API Gateway's own: it throttles as a fuse, and may fail to reach a function. */
const everywhere: ErrorCode[] = ['rate_limited', 'internal'];
const ofCaller: ErrorCode[] = [...everywhere, 'unauthorized', 'organization_suspended'];
const ofRequest: ErrorCode[] = [...ofCaller, 'invalid_request', 'url_not_allowed', 'insufficient_credits'];
const ofBody: ErrorCode[] = ['unsupported_media_type', 'request_too_large'];
/** What may go wrong out there, and with the means to get there. */
const ofScrape: ErrorCode[] = errorCodes.filter((code) => catalogue[code].status > 500);
const ofWaiting: ErrorCode[] = [...ofScrape, 'too_many_concurrent', 'response_too_large'];

const ofResult: ErrorCode[] = [
  ...ofCaller,
  'not_found',
  'job_not_finished',
  'precondition_failed',
  'range_not_satisfiable',
  'busy',
];

const errors: Readonly<Record<OperationId, readonly ErrorCode[]>> = {
  scrape: [...ofRequest, ...ofBody, ...ofWaiting],
  scrapeSimple: [...ofRequest, ...ofWaiting],
  submitJob: [
    ...ofRequest,
    ...ofBody,
    'idempotency_in_flight',
    'idempotency_key_reused',
    'premium_proxy_unavailable',
    'busy',
  ],
  getJob: [...ofCaller, 'not_found', 'busy'],
  getResult: [...ofResult, 'too_many_concurrent'],
  headResult: ofResult,
  health: everywhere,
  openapi: everywhere,
  docs: everywhere,
  docsFile: [...everywhere, 'not_found'],
};

const headers: Partial<Record<number, readonly HeaderName[]>> = {
  401: ['WWW-Authenticate'],
  409: ['Retry-After'],
  416: ['Content-Range'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

/** One answer a status, with every code that comes under it and its example. */
export function errorAnswers(operationId: OperationId, isMetered: boolean): Record<string, Json> {
  const byStatus = Map.groupBy(errors[operationId], (code) => catalogue[code].status);
  const answers = [...byStatus].map(([status, codes]) => {
    const known = isMetered && status !== catalogue.unauthorized.status ? usage : [];
    return [
      status,
      {
        description: codes.map((code) => `\`${code}\`: ${catalogue[code].message}`).join('\n\n'),
        headers: headersOf([...always, ...known, ...(headers[status] ?? [])]),
        ...contentFor(operationId, jsonOf('Error', examplesOf(codes))),
      },
    ] as const;
  });
  return Object.fromEntries(answers);
}

const ofJob = ['deadline_exceeded', 'attempts_exhausted', 'dns_failed'] as const;

/** `components.examples`: an error is the same wherever it comes up. */
export const errorExamples: Readonly<Record<string, object>> = Object.fromEntries([
  ...Object.values(errors)
    .flat()
    .map((code) => [code, errorExample(code)] as const),
  ...ofJob.map((code) => [`job_${code}`, errorExample(code, true)] as const),
]);

export const headOfFailedJob: Json = {
  description: 'The job failed.',
  headers: headersOf([...always, ...usage]),
};

/** What the result of a failed job is: the job's own error, under a status that says that asking for it worked. */
export const failedJob: Json = {
  ...headOfFailedJob,
  description:
    'The job failed. `code` is what the scrape by itself would have failed with, or that it was given up.',
  content: jsonOf('Error', examplesOf(ofJob.map((code) => `job_${code}`))),
};

/** An answer to HEAD describes a body, and has none: RFC 9110 section 9.3.2. */
function contentFor(operationId: OperationId, content: Json): Json {
  return operationId === 'headResult' ? {} : { content };
}

function examplesOf(names: readonly string[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/examples/${name}` }]));
}
