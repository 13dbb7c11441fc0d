import type { Json } from '../../contract/json-schema.ts';
import { catalogue, type ErrorCode } from '../../errors.ts';
import type { Route } from '../route.ts';
import { errorExample } from './examples.ts';
import { always, type HeaderName, headersOf, usage } from './headers.ts';
import { jsonOf } from './media.ts';

const headers: Partial<Record<number, readonly HeaderName[]>> = {
  401: ['x-amzn-Remapped-WWW-Authenticate'],
  409: ['Retry-After'],
  416: ['Content-Range'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

/** One answer a status, with every code that comes under it and its example. */
export function errorAnswers({ method, auth, errors }: Route): Record<string, Json> {
  const byStatus = Map.groupBy(errors, (code) => catalogue[code].status);
  const answers = [...byStatus].map(([status, codes]) => {
    const known = auth === 'key' && status !== catalogue.unauthorized.status ? usage : [];
    const content = jsonOf('Error', examplesOf(codes));
    return [
      status,
      {
        description: codes.map((code) => `\`${code}\`: ${catalogue[code].message}`).join('\n\n'),
        headers: headersOf([...always, ...known, ...(headers[status] ?? [])]),
        // An answer to HEAD describes a body, and has none: RFC 9110 section 9.3.2.
        ...(method === 'HEAD' ? {} : { content }),
      },
    ] as const;
  });
  return Object.fromEntries(answers);
}

const ofJob = ['deadline_exceeded', 'attempts_exhausted', 'dns_failed'] as const;

/** `components.examples`: an error is the same wherever it comes up. */
export function errorExamples(codes: readonly ErrorCode[]): Record<string, object> {
  return Object.fromEntries([
    ...codes.map((code) => [code, errorExample(code)] as const),
    ...ofJob.map((code) => [`job_${code}`, errorExample(code, true)] as const),
  ]);
}

export const headOfFailedJob: Json = {
  description: 'The job failed.',
  headers: headersOf([...always, ...usage]),
};

/** The result of a failed job is the job's own error, under a status of its own. */
export const failedJob: Json = {
  ...headOfFailedJob,
  description:
    'The job failed. `code` is what the scrape by itself would have failed with, or that it was given up.',
  content: jsonOf('Error', examplesOf(ofJob.map((code) => `job_${code}`))),
};

function examplesOf(names: readonly string[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/examples/${name}` }]));
}
