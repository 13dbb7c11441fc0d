import { type Header, pageHeaders, text, whole } from './page-headers.ts';

/** Every response header that the service defines or that means something particular here. */
const described = {
  'X-Request-Id': {
    description: 'The id of this request. Quote it when you ask for help.',
    required: true,
    schema: { type: 'string', format: 'uuid' },
    example: '019e2f3a-5b60-7c1d-9f2e-3a4b5c6d7e8f',
  },
  'X-Credits-Used': {
    description:
      'Credits charged for this request. 0 on every error, and on every call about jobs except a submit that returns the result.',
    required: true,
    schema: whole,
    example: 1,
  },
  'X-Credits-Reason': {
    description:
      'The reason for `X-Credits-Used`. `page`: a page was delivered and charged. `target_status`: the target returned a status that is not charged. `wall`: the target returned a bot wall. `no_page`: no page was returned. `refused`: the request was rejected. `cached`: a kept page was delivered. `duplicate`: a crawl had the same page from another URL. `free`: this call costs nothing.',
    required: true,
    schema: { enum: ['page', 'target_status', 'wall', 'no_page', 'refused', 'cached', 'duplicate', 'free'] },
    example: 'page',
  },
  'X-Credits-Remaining': { description: 'Credits left this month.', schema: whole, example: 999 },
  'X-RateLimit-Limit': {
    description: 'Requests per minute that the rate limit of this call allows.',
    schema: whole,
    example: 60,
  },
  'X-RateLimit-Remaining': {
    description: 'Requests that you can send right now.',
    schema: whole,
    example: 59,
  },
  'X-RateLimit-Reset': {
    description: 'When the full limit is available again, in Unix seconds.',
    schema: whole,
    example: 1_780_000_001,
  },
  'RateLimit-Policy': {
    description:
      'The name of the rate limit, its quota and its window in seconds (draft-ietf-httpapi-ratelimit-headers).',
    schema: text,
    example: '"scrape";q=60;w=60',
  },
  RateLimit: {
    description:
      'The name of the rate limit, the requests left, and the seconds until the full limit is available again.',
    schema: text,
    example: '"scrape";r=59;t=1',
  },
  'Content-Encoding': {
    description:
      'Present if the body is compressed, which needs `Accept-Encoding`. A deployed service streams, so it sends no `Content-Length`.',
    schema: { const: 'gzip' },
    example: 'gzip',
  },
  Vary: {
    description: "The request headers that select the body's compression or the form of results.",
    schema: { enum: ['Accept-Encoding', 'Accept', 'Accept, Accept-Encoding'] },
    example: 'Accept-Encoding',
  },
  'Content-Security-Policy': {
    description: 'Stops scripts in a scraped page from acting as this service when a browser shows the page.',
    required: true,
    schema: text,
    example: 'sandbox',
  },
  'Retry-After': { description: 'Seconds to wait before you retry.', schema: whole, example: 5 },
  'X-Content-Length': {
    description:
      'Length in bytes of the body as sent, if it is known in advance. Replaces `Content-Length`, which is not sent.',
    schema: whole,
    example: 1_256,
  },
  'x-amzn-Remapped-WWW-Authenticate': {
    description: 'How to authenticate. API Gateway renames `WWW-Authenticate` to this.',
    required: true,
    schema: { const: 'Bearer' },
    example: 'Bearer',
  },
  ...pageHeaders,
  Location: {
    description:
      'The path of the submitted job or batch, or of the new endpoint; with 303, a link to the stored result.',
    required: true,
    schema: text,
    example: '/api/v1/scraper/jobs/019e2f3a-5b60-7c1d-9f2e-3a4b5c6d7e8f',
  },
  'Preference-Applied': {
    description: 'The preference that was applied.',
    required: true,
    schema: text,
    example: 'wait=30',
  },
  'Content-Location': {
    description: 'The path of the result, where it can be fetched again.',
    required: true,
    schema: text,
    example: '/api/v1/scraper/jobs/019e2f3a-5b60-7c1d-9f2e-3a4b5c6d7e8f/result',
  },
  'X-Job-Id': {
    description: 'The id of the job.',
    required: true,
    schema: { type: 'string', format: 'uuid' },
    example: '019e2f3a-5b60-7c1d-9f2e-3a4b5c6d7e8f',
  },
  Link: {
    description: 'The path of the next page, with `rel="next"`. Absent at the end.',
    schema: text,
    example: '</api/v1/scraper/jobs?cursor=MDE5ZTJmM2E>; rel="next"',
  },
  'Idempotent-Replayed': {
    description: 'Present if an earlier request with the same `Idempotency-Key` submitted this job or batch.',
    schema: { const: 'true' },
    example: 'true',
  },
  ETag: {
    description: 'Identifies this version of the page, per content encoding.',
    required: true,
    schema: text,
    example: '"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"',
  },
  'Last-Modified': {
    description: 'When the job completed.',
    required: true,
    schema: text,
    example: 'Sat, 21 Nov 2026 07:00:00 GMT',
  },
  'Accept-Ranges': {
    description: 'The page supports range requests.',
    required: true,
    schema: { const: 'bytes' },
    example: 'bytes',
  },
  'Content-Range': {
    description: 'The part of the page that this is; with 416, the length of the page.',
    required: true,
    schema: text,
    example: 'bytes 0-99/1256',
  },
} as const satisfies Record<string, Header>;

export type HeaderName = keyof typeof described;

export const headerComponents: Readonly<Record<string, object>> = described;
