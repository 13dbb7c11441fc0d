import type { Operations } from '../../shared/http/respond.ts';
import type { Effects } from '../../shared/ports/effects.ts';
import { openapi } from '../../shared/api/openapi.ts';
import { withoutExamples } from '../../shared/api/openapi/without-examples.ts';
import { OpenapiQuery, SearchQuery } from '../../shared/api/service.ts';
import { json, type Reply } from '../../shared/http/reply.ts';
import { readQuery } from '../../shared/request/read-query.ts';
import { docsOf } from './docs-reply.ts';
import { searchDocs } from './search-docs.ts';

/** Health, OpenAPI document and documentation, whose examples fetch `demoPage` if it is set. */
export function metaOperations({ apiUrl }: Pick<Effects, 'apiUrl'>, demoPage?: string): Operations<'meta'> {
  const docs = docsOf(apiUrl, demoPage);
  return {
    health: () => Promise.resolve(json(200, { status: 'ok' })),
    openapi: (call) => Promise.resolve(openapiReply(readQuery(call, OpenapiQuery), apiUrl)),
    llms: ({ headers }) => docs.llms(headers),
    docs: ({ headers }) => docs.index(headers),
    searchDocs: async (call) => searchDocs(readQuery(call, SearchQuery).q, call.headers),
    docsFile: ({ params, headers }) => docs.file(params.file ?? '', headers),
    docsError: ({ params, headers }) => docs.error(params.code ?? '', headers),
  };
}

function openapiReply({ examples }: OpenapiQuery, apiUrl: string): Reply {
  const document = openapi(apiUrl);
  return json(200, examples === 'true' ? document : withoutExamples(document));
}
