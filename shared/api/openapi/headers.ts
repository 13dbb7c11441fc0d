type Header = { description: string; required?: true; schema: object; example: string | number };

const whole = { type: 'integer', minimum: 0 };
const text = { type: 'string' };

/** Every header of an answer that has a meaning of ours. */
const described = {
  'X-Request-Id': {
    description: 'Of this request. Quote it when asking for help.',
    required: true,
    schema: { type: 'string', format: 'uuid' },
    example: '019e2f3a-5b60-7c1d-9f2e-3a4b5c6d7e8f',
  },
  'X-Credits-Used': {
    description: 'Credits that this request was charged. 0 on every error and on every job call.',
    required: true,
    schema: whole,
    example: 1,
  },
  'X-Credits-Reason': {
    description:
      'Why `X-Credits-Used` is what it is. `page`: a page was delivered and charged. `target_status`: the target responded with a status that is not charged. `no_page`: no page came back. `refused`: the request was refused. `free`: this call costs nothing.',
    required: true,
    schema: { enum: ['page', 'target_status', 'no_page', 'refused', 'free'] },
    example: 'page',
  },
  'X-Credits-Remaining': { description: 'Credits left this month.', schema: whole, example: 999 },
  'X-RateLimit-Limit': {
    description: 'Requests a minute that the bucket of this call allows.',
    schema: whole,
    example: 60,
  },
  'X-RateLimit-Remaining': { description: 'Requests that fit in now.', schema: whole, example: 59 },
  'X-RateLimit-Reset': {
    description: 'When the bucket is full again, in unix seconds.',
    schema: whole,
    example: 1_780_000_001,
  },
  'RateLimit-Policy': {
    description: 'The bucket, its quota and its window in seconds (draft-ietf-httpapi-ratelimit-headers).',
    schema: text,
    example: '"scrape";q=60;w=60',
  },
  RateLimit: {
    description: 'The bucket, what remains of it, and the seconds until it is full again.',
    schema: text,
    example: '"scrape";r=59;t=1',
  },
  'Content-Encoding': {
    description:
      'There if the body is compressed, for callers that accept it. A deployed service streams, so there is no `Content-Length`.',
    schema: { const: 'gzip' },
    example: 'gzip',
  },
  Vary: {
    description: 'There if the body may be compressed.',
    schema: { const: 'Accept-Encoding' },
    example: 'Accept-Encoding',
  },
  'Content-Security-Policy': {
    description: 'Keeps what a page holds from acting in the name of this service when a browser shows it.',
    required: true,
    schema: text,
    example: 'sandbox',
  },
  'Retry-After': { description: 'Seconds to wait before asking again.', schema: whole, example: 5 },
  'X-Content-Length': {
    description: 'Bytes of the body as it is sent, where that is known before: `Content-Length` never is.',
    schema: whole,
    example: 1_256,
  },
  'x-amzn-Remapped-WWW-Authenticate': {
    description: 'How to authenticate: what API Gateway makes of `WWW-Authenticate`, which does not arrive.',
    required: true,
    schema: { const: 'Bearer' },
    example: 'Bearer',
  },
  'X-Target-Status': {
    description: 'What the target answered.',
    required: true,
    schema: { type: 'integer', minimum: 100, maximum: 599 },
    example: 200,
  },
  'X-Target-Url': {
    description: 'Where redirects ended, percent-encoded.',
    required: true,
    schema: { type: 'string', format: 'uri' },
    example: 'https://example.com/',
  },
  'X-Target-Redirects': {
    description: 'How many redirects led there.',
    required: true,
    schema: { type: 'integer', minimum: 0, maximum: 10 },
    example: 0,
  },
  'X-Render-State': {
    description: 'With `render_js`: `partial` if a wait ran out although a document was there.',
    schema: { enum: ['complete', 'partial'] },
    example: 'complete',
  },
  Location: {
    description: "Where to go on: the job's status, or its result.",
    required: true,
    schema: text,
    example: '/api/v1/scraper/jobs/019e2f3a-5b60-7c1d-9f2e-3a4b5c6d7e8f',
  },
  'Preference-Applied': {
    description: 'The preference that this is the answer to.',
    required: true,
    schema: { const: 'respond-redirect' },
    example: 'respond-redirect',
  },
  'Idempotent-Replayed': {
    description: 'There if this is the answer to an earlier request with the same `Idempotency-Key`.',
    schema: { const: 'true' },
    example: 'true',
  },
  ETag: {
    description: 'Of the page in this content encoding.',
    required: true,
    schema: text,
    example: '"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"',
  },
  'Last-Modified': {
    description: 'When the job was completed.',
    required: true,
    schema: text,
    example: 'Sat, 21 Nov 2026 07:00:00 GMT',
  },
  'Accept-Ranges': {
    description: 'The page can be asked for in part.',
    required: true,
    schema: { const: 'bytes' },
    example: 'bytes',
  },
  'Content-Range': {
    description: 'Which part of the page this is; with 416, how long the page is.',
    required: true,
    schema: text,
    example: 'bytes 0-99/1256',
  },
} as const satisfies Record<string, Header>;

export type HeaderName = keyof typeof described;

export const headerComponents: Readonly<Record<string, object>> = described;

/** On every answer, the last two where its body is worth compressing. */
export const always: readonly HeaderName[] = [
  'X-Request-Id',
  'X-Credits-Used',
  'X-Credits-Reason',
  'X-Content-Length',
  'Content-Encoding',
  'Vary',
];

/** On every answer to a caller that is known; not on those that API Gateway gives by itself. */
export const usage: readonly HeaderName[] = [
  'X-Credits-Remaining',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
];

/** On every answer that a browser might show as a page. */
export const sandbox: readonly HeaderName[] = ['Content-Security-Policy'];

/** On every answer that tells of a page of a target. */
export const aboutTarget: readonly HeaderName[] = [
  'X-Target-Status',
  'X-Target-Url',
  'X-Target-Redirects',
  'X-Render-State',
];

/** On every answer that is a page of a target. */
export const target: readonly HeaderName[] = [...sandbox, ...aboutTarget];

export const validators: readonly HeaderName[] = ['ETag', 'Last-Modified', 'Accept-Ranges'];

export function headersOf(names: readonly HeaderName[]): Record<string, object> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
