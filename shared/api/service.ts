import { everywhere } from './error-groups.ts';
import { sandbox } from './openapi/header-groups.ts';
import { open } from './openapi/media.ts';
import { inPath } from './openapi/parameters.ts';
import type { Route } from './route.ts';

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
    description: 'For code generators, and the source of the reference under `/docs`.',
    parameters: [],
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
    path: '/docs',
    operationId: 'docs',
    summary: 'Read the documentation',
    description: 'A guide and a reference, where you can try the API with your own key.',
    parameters: [],
    responses: {
      200: open('A page.', 'text/html', { schema: { type: 'string' }, example: '<!doctype html>' }, sandbox),
    },
    errors: everywhere,
  },
  {
    ...common,
    method: 'GET',
    path: '/docs/{file}',
    operationId: 'docsFile',
    summary: 'Get a file of the documentation',
    description: 'A script, style sheet or icon of the documentation, which loads nothing from other hosts.',
    parameters: [
      inPath('file', {
        description: 'The name of the file.',
        schema: { type: 'string', examples: ['docs.css'] },
      }),
    ],
    responses: {
      200: open(
        'The file, with its own `Content-Type`.',
        '*/*',
        { schema: { type: 'string' }, example: ':root {}' },
        sandbox,
      ),
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
        description: 'The `code` of the error.',
        schema: { type: 'string', examples: ['timeout'] },
      }),
    ],
    responses: {
      200: open('A page.', 'text/html', { schema: { type: 'string' }, example: '<!doctype html>' }, sandbox),
    },
    errors: [...everywhere, 'not_found'],
  },
] as const satisfies readonly Route[];
