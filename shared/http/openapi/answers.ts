import type { OperationId } from '../routes.ts';
import { failedJob, headOfFailedJob } from './errors.ts';
import { jobs, submitted } from './examples.ts';
import {
  aboutTarget,
  always,
  type HeaderName,
  headersOf,
  sandbox,
  target,
  usage,
  validators,
} from './headers.ts';
import { type Json, jsonOf } from './schema.ts';

/** Any bytes of any type: what the target sent, or the DOM as HTML. */
const anyBytes = {
  '*/*': {
    schema: { format: 'binary' },
    examples: { html: { summary: 'HTML', value: '<!doctype html><title>Example</title><h1>Example</h1>' } },
  },
};

const page = metered('The page itself, under the Content-Type of the target.', target, anyBytes);
const PAGE_PART = '<!doctype html>';

/** What each operation answers when all goes well, and when it is not an error that it does not. */
export const answers: Readonly<Record<OperationId, Record<number, Json>>> = {
  scrape: { 200: page },
  scrapeSimple: { 200: page },
  submitJob: {
    202: metered(
      'The job is accepted.',
      ['Location', 'Retry-After', 'Idempotent-Replayed'],
      jsonOf('SubmittedJob', submitted),
    ),
  },
  getJob: {
    200: metered(
      'The job as it stands; with `Retry-After` until it is settled.',
      ['Retry-After'],
      jsonOf('Job', jobs),
    ),
  },
  getResult: {
    200: metered('The page itself.', [...target, ...validators], anyBytes),
    206: metered('The part of the page that `Range` asks for.', [...target, ...validators, 'Content-Range'], {
      '*/*': { schema: { format: 'binary' }, example: PAGE_PART },
    }),
    303: metered(
      'With `Prefer: respond-redirect`: where the page is to be fetched within a minute, without the API key.',
      [...aboutTarget, 'Location', 'Preference-Applied'],
    ),
    304: metered('The page you have is still the same.', validators),
    422: failedJob,
  },
  headResult: {
    200: metered('As the page would be sent.', [...target, ...validators]),
    206: metered('As the part of the page would be sent.', [...target, ...validators, 'Content-Range']),
    304: metered('The page you have is still the same.', validators),
    422: headOfFailedJob,
  },
  health: {
    200: open('The service answers.', 'application/json', {
      schema: { type: 'object', properties: { status: { const: 'ok' } }, required: ['status'] },
      example: { status: 'ok' },
    }),
  },
  openapi: {
    200: open('An OpenAPI document.', 'application/json', {
      schema: {
        type: 'object',
        properties: { openapi: { const: '3.1.0' } },
        required: ['openapi'],
        additionalProperties: true,
      },
      example: { openapi: '3.1.0', info: { title: 'Sitefetch', version: '0.1.0' }, paths: {} },
    }),
  },
  docs: {
    200: open('A page.', 'text/html', { schema: { type: 'string' }, example: '<!doctype html>' }, sandbox),
  },
  docsFile: {
    200: open(
      'The file, under its own type.',
      '*/*',
      { schema: { type: 'string' }, example: ':root {}' },
      sandbox,
    ),
  },
};

function metered(description: string, headers: readonly HeaderName[], content?: Json): Json {
  return { description, headers: headersOf([...always, ...usage, ...headers]), ...(content && { content }) };
}

function open(description: string, type: string, media: Json, headers: readonly HeaderName[] = []): Json {
  return { description, headers: headersOf([...always, ...headers]), content: { [type]: media } };
}
