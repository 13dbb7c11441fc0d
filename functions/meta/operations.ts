import type { Operations } from '../../shared/http/respond.ts';
import { openapi } from '../../shared/api/openapi.ts';
import { json } from '../../shared/http/reply.ts';
import { docsReply, errorPageReply } from './docs-reply.ts';

/** What the service says of itself. The documentation's examples fetch `demoPage` if there is one. */
export function metaOperations(demoPage?: string): Operations<'meta'> {
  return {
    health: () => Promise.resolve(json(200, { status: 'ok' })),
    openapi: () => Promise.resolve(json(200, openapi())),
    docs: () => docsReply('index.html', demoPage),
    docsFile: ({ params }) => docsReply(params.file ?? ''),
    docsError: ({ params }) => errorPageReply(params.code ?? ''),
  };
}
