import type { Operations } from '../../shared/http/respond.ts';
import { openapi } from '../../shared/api/openapi.ts';
import { json } from '../../shared/http/reply.ts';
import { docsReply } from './docs-reply.ts';

/** What the service says of itself. */
export const metaOperations: Operations<'meta'> = {
  health: () => Promise.resolve(json(200, { status: 'ok' })),
  openapi: () => Promise.resolve(json(200, openapi())),
  docs: () => docsReply('index.html'),
  docsFile: ({ params }) => docsReply(params.file ?? ''),
};
