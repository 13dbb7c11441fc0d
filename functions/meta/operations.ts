import type { Operations } from '../../shared/http/respond.ts';
import type { Effects } from '../../shared/ports/effects.ts';
import { openapi } from '../../shared/api/openapi.ts';
import { json } from '../../shared/http/reply.ts';
import { docsReply, errorPageReply } from './docs-reply.ts';

/** Health, OpenAPI document and documentation, whose examples fetch `demoPage` if it is set. */
export function metaOperations({ apiUrl }: Pick<Effects, 'apiUrl'>, demoPage?: string): Operations<'meta'> {
  return {
    health: () => Promise.resolve(json(200, { status: 'ok' })),
    openapi: () => Promise.resolve(json(200, openapi(apiUrl))),
    docs: () => docsReply('index.html', demoPage),
    docsFile: ({ params }) => docsReply(params.file ?? ''),
    docsError: ({ params }) => errorPageReply(params.code ?? ''),
  };
}
