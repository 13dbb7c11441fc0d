import { everywhere } from './error-groups.ts';
import { sandbox } from './openapi/headers.ts';
import { open } from './openapi/media.ts';
import { inPath } from './openapi/parameters.ts';
import type { Route } from './route.ts';

/** What the service says of itself. */
export const serviceRoutes = [
  {
    method: 'GET',
    path: '/healthz',
    operationId: 'health',
    function: 'meta',
    auth: 'none',
    tag: 'Service',
    summary: 'Whether the service answers',
    description: 'Touches nothing behind the API: a load balancer may ask as often as it likes.',
    parameters: [],
    responses: {
      200: open('The service answers.', 'application/json', {
        schema: { type: 'object', properties: { status: { const: 'ok' } }, required: ['status'] },
        example: { status: 'ok' },
      }),
    },
    errors: everywhere,
  },
  {
    method: 'GET',
    path: '/openapi.json',
    operationId: 'openapi',
    function: 'meta',
    auth: 'none',
    tag: 'Service',
    summary: 'This document',
    description: 'For code generators and for the reference page.',
    parameters: [],
    responses: {
      200: open('An OpenAPI document.', 'application/json', {
        schema: {
          type: 'object',
          properties: { openapi: { const: '3.1.0' } },
          required: ['openapi'],
          additionalProperties: true,
        },
        example: { openapi: '3.1.0', info: { title: 'Sitefetch', version: '0.2.0' }, paths: {} },
      }),
    },
    errors: everywhere,
  },
  {
    method: 'GET',
    path: '/docs',
    operationId: 'docs',
    function: 'meta',
    auth: 'none',
    tag: 'Service',
    summary: 'The reference page',
    description: 'This document for people, who can try the API there with a key of their own.',
    parameters: [],
    responses: {
      200: open('A page.', 'text/html', { schema: { type: 'string' }, example: '<!doctype html>' }, sandbox),
    },
    errors: everywhere,
  },
  {
    method: 'GET',
    path: '/docs/{file}',
    operationId: 'docsFile',
    function: 'meta',
    auth: 'none',
    tag: 'Service',
    summary: 'What the reference page is made of',
    description: 'Its scripts and styles. No other host is asked for anything.',
    parameters: [
      inPath('file', { description: 'Its name.', schema: { type: 'string', examples: ['docs.css'] } }),
    ],
    responses: {
      200: open(
        'The file, under its own type.',
        '*/*',
        { schema: { type: 'string' }, example: ':root {}' },
        sandbox,
      ),
    },
    errors: [...everywhere, 'not_found'],
  },
] as const satisfies readonly Route[];
