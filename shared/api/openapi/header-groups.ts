import { headerComponents, type HeaderName } from './headers.ts';

/** On every response; the last two only if its body is worth compressing. */
export const always: readonly HeaderName[] = [
  'X-Request-Id',
  'X-Credits-Used',
  'X-Credits-Reason',
  'X-Content-Length',
  'Content-Encoding',
  'Vary',
];

/** On every response to an authenticated caller, except responses of API Gateway itself. */
export const usage: readonly HeaderName[] = [
  'X-Credits-Remaining',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
];

/** On every response that a browser might show as a page. */
export const sandbox: readonly HeaderName[] = ['Content-Security-Policy'];

/** Of a page of the documentation. */
export const ofDocument: readonly HeaderName[] = [...sandbox, 'ETag'];

/** On every response about a scraped page. */
export const aboutTarget: readonly HeaderName[] = [
  'X-Target-Status',
  'X-Target-Url',
  'X-Target-Redirects',
  'X-Render-State',
  'X-Render-Waiting',
  'X-Content-Truncated',
  'X-Scenario',
  'X-Page-Verdict',
  'X-Mode-Tried',
  'X-Cache',
  'Age',
  'X-Content-Scope',
  'X-Content-Coverage',
  'X-Document-Type',
  'X-Document-Pages',
  'X-Model-Tokens',
  'X-Extract-Truncated',
];

/** On every response that is a scraped page. */
export const target: readonly HeaderName[] = [...sandbox, ...aboutTarget];

/** On a part of a text. */
export const ofSlice: readonly HeaderName[] = ['X-Total-Chars', 'X-Next-Offset'];

/** On a submit that waited for its result. */
export const ofWait: readonly HeaderName[] = ['Content-Location', 'X-Job-Id', 'Preference-Applied'];

export const validators: readonly HeaderName[] = ['ETag', 'Last-Modified', 'Accept-Ranges'];

export function headersOf(names: readonly HeaderName[]): Record<string, object> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** The same, but not on every response of its kind. */
export function sometimes(names: readonly HeaderName[]): Record<string, object> {
  return Object.fromEntries(names.map((name) => [name, { ...headerComponents[name], required: false }]));
}
