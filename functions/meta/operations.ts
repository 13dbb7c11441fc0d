import type { Operations } from '../../shared/http/respond.ts';
import type { Call } from '../../shared/http/call.ts';
import { openapi } from '../../shared/api/openapi.ts';
import { json } from '../../shared/http/reply.ts';
import { docsReply, errorPageReply } from './docs-reply.ts';

/** Health, OpenAPI document and documentation, whose examples fetch `demoPage` if it is set. */
export function metaOperations(demoPage?: string): Operations<'meta'> {
  return {
    health: () => Promise.resolve(json(200, { status: 'ok' })),
    openapi: (call) => Promise.resolve(json(200, openapi(baseUrl(call)))),
    docs: () => docsReply('index.html', demoPage),
    docsFile: ({ params }) => docsReply(params.file ?? ''),
    docsError: ({ params }) => errorPageReply(params.code ?? ''),
  };
}

const HOST = /^[\w.-]+(:\d+)?$|^\[[\da-f:]+\](:\d+)?$/i;

/** The URL by which the caller reached the API: generated clients do not resolve a relative one. */
function baseUrl({ headers, mount }: Call): string | undefined {
  const { host = '', 'x-forwarded-proto': scheme } = headers;
  if (!HOST.test(host)) return undefined;
  return `${scheme === 'http' ? 'http' : 'https'}://${host}${mount}`;
}
