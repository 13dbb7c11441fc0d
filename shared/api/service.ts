import { z } from 'zod';
import { everywhere } from './error-groups.ts';
import { ofDocument } from './openapi/header-groups.ts';
import { open, openWithoutContent } from './openapi/media.ts';
import { inPath, inQuery } from './openapi/parameters.ts';
import type { Route } from './route.ts';

/** The query of the OpenAPI document. */
export const OpenapiQuery = z.strictObject({
  examples: z
    .enum(['true', 'false'])
    .default('true')
    .describe('`false` leaves out examples, headers and errors.'),
});

export type OpenapiQuery = z.infer<typeof OpenapiQuery>;

const MAX_QUERY = 200;

/** The query of the search in the documentation. */
export const SearchQuery = z.strictObject({
  q: z.string().max(MAX_QUERY).default('').describe('The words to find.'),
});

const PAGE = { schema: { type: 'string' }, example: '<!doctype html>' };
const KNOWN = openWithoutContent('Your copy is current.', ofDocument);
const TEXT = { schema: { type: 'string' }, example: '# Sitefetch' };

const common = { function: 'meta', auth: 'none', tag: 'Service' } as const;

export const serviceRoutes = [
  {
    ...common,
    method: 'GET',
    path: '/healthz',
    operationId: 'health',
    summary: 'Check that the service responds',
    description:
      'Checks the API alone and no other service, so a load balancer can call it as often as it likes.',
    parameters: [],
    responses: {
      200: open('The service responds.', 'application/json', {
        schema: { type: 'object', properties: { status: { const: 'ok' } }, required: ['status'] },
        example: { status: 'ok' },
      }),
    },
    errors: everywhere,
  },
  {
    ...common,
    method: 'GET',
    path: '/openapi.json',
    operationId: 'openapi',
    summary: 'Get the OpenAPI document',
    description:
      'For code generators, and the source of the reference under `/docs`. Language models read it in a third of the tokens with `examples=false`.',
    parameters: inQuery(OpenapiQuery),
    responses: {
      200: open('An OpenAPI document.', 'application/json', {
        schema: {
          type: 'object',
          properties: { openapi: { const: '3.1.0' } },
          required: ['openapi'],
          additionalProperties: true,
        },
        example: { openapi: '3.1.0', info: { title: 'Sitefetch', version: '0.3.0' }, paths: {} },
      }),
    },
    errors: everywhere,
  },
  {
    ...common,
    method: 'GET',
    path: '/llms.txt',
    operationId: 'llms',
    summary: 'List the documentation for language models',
    description: 'The pages of `/docs` as links to their Markdown, in the form of https://llmstxt.org.',
    parameters: [],
    responses: { 200: open('A list in Markdown.', 'text/plain', TEXT, ofDocument), 304: KNOWN },
    errors: everywhere,
  },
  {
    ...common,
    method: 'GET',
    path: '/docs',
    operationId: 'docs',
    summary: 'Read the documentation',
    description: 'Its start, with links to all pages. `Accept: text/markdown` gets `/llms.txt` instead.',
    parameters: [],
    responses: { 200: open('A page.', '*/*', PAGE, ofDocument), 304: KNOWN },
    errors: everywhere,
  },
  {
    ...common,
    method: 'GET',
    path: '/docs/search',
    operationId: 'searchDocs',
    summary: 'Search the documentation',
    description:
      'Sections with all the words or, if none has them all, with some. As a page, or as Markdown by `Accept`.',
    parameters: inQuery(SearchQuery),
    responses: { 200: open('A page of links.', '*/*', PAGE, ofDocument), 304: KNOWN },
    errors: everywhere,
  },
  {
    ...common,
    method: 'GET',
    path: '/docs/{file}',
    operationId: 'docsFile',
    summary: 'Get a page of the documentation',
    description:
      'A page, as Markdown with the suffix `.md` or by `Accept`; or a script, style sheet or icon. It loads nothing from other hosts.',
    parameters: [
      inPath('file', {
        description: 'The name of the page or file.',
        schema: { type: 'string', examples: ['crawls.md'] },
      }),
    ],
    responses: {
      200: open('The page or file, with its own `Content-Type`.', '*/*', PAGE, ofDocument),
      304: KNOWN,
    },
    errors: [...everywhere, 'not_found'],
  },
  {
    ...common,
    method: 'GET',
    path: '/docs/errors/{code}',
    operationId: 'docsError',
    summary: 'Read about an error code',
    description: 'Why the error happens and what to do about it. Every error links to its page in `doc_url`.',
    parameters: [
      inPath('code', {
        description: 'The `code` of the error, with `.md` for Markdown.',
        schema: { type: 'string', examples: ['timeout'] },
      }),
    ],
    responses: { 200: open('A page.', '*/*', PAGE, ofDocument), 304: KNOWN },
    errors: [...everywhere, 'not_found'],
  },
] as const satisfies readonly Route[];
