import type { Json } from '../../contract/json-schema.ts';
import { catalogue, type ErrorCode } from '../../errors.ts';
import type { Route } from '../route.ts';
import { errorExample } from './examples.ts';
import { always, headersOf, sometimes, usage } from './header-groups.ts';
import type { HeaderName } from './headers.ts';
import { jsonOf } from './media.ts';

const headers: Partial<Record<number, readonly HeaderName[]>> = {
  401: ['x-amzn-Remapped-WWW-Authenticate'],
  409: ['Retry-After'],
  416: ['Content-Range'],
  429: ['Retry-After'],
  502: ['Retry-After'],
  503: ['Retry-After'],
};

/** What the target said of the page on which a scenario failed; absent on all other errors. */
const ofFailedScenario = sometimes(['X-Target-Status', 'X-Target-Url', 'X-Page-Verdict']);
/** Absent without `mode`. */
const ofLadder = sometimes(['X-Mode-Tried']);
/** Errors that come of a target. */
const OF_TARGET: readonly ErrorCode[] = [
  'not_convertible',
  'needs_ocr',
  'response_too_large',
  'connect_failed',
  'timeout',
];

/** One response per status, with each of its codes and an example of it. */
export function errorResponses({ method, auth, errors }: Route): Record<string, Json> {
  const byStatus = Map.groupBy(errors, (code) => catalogue[code].status);
  const responses = [...byStatus].map(([status, codes]) => {
    const known = auth === 'key' && status !== catalogue.unauthorized.status ? usage : [];
    const content = jsonOf('Error', examplesOf(codes));
    return [
      status,
      {
        description: codes.map((code) => `\`${code}\`: ${catalogue[code].message}`).join('\n\n'),
        headers: {
          ...headersOf([...always, ...known, ...(headers[status] ?? [])]),
          ...(codes.includes('scenario_failed') && ofFailedScenario),
          ...(codes.some((code) => OF_TARGET.includes(code)) && ofLadder),
        },
        // A response to HEAD has no body: RFC 9110 section 9.3.2.
        ...(method === 'HEAD' ? {} : { content }),
      },
    ] as const;
  });
  return Object.fromEntries(responses);
}

const ofJob = ['deadline_exceeded', 'attempts_exhausted', 'dns_failed'] as const;

/** `components.examples`: an error looks the same on every route. */
export function errorExamples(codes: readonly ErrorCode[]): Record<string, object> {
  return Object.fromEntries([
    ...codes.map((code) => [code, errorExample(code)] as const),
    ...ofJob.map((code) => [`job_${code}`, errorExample(code, true)] as const),
  ]);
}

export const headOfFailedJob: Json = {
  description: 'The job failed.',
  headers: { ...headersOf([...always, ...usage]), ...ofFailedScenario, ...ofLadder },
};

/** The result of a failed job is the job's own error, always with status 422. */
export const failedJob: Json = {
  ...headOfFailedJob,
  description: 'The job failed. `code` is the error of its last attempt, or why it was given up.',
  content: jsonOf('Error', examplesOf(ofJob.map((code) => `job_${code}`))),
};

function examplesOf(names: readonly string[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/examples/${name}` }]));
}
