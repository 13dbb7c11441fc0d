import { type Batch, ResultsQuery } from '../../shared/contract/batches/batch.ts';
import { isUpload } from '../../shared/domain/batches/upload-state.ts';
import type { AuthenticatedCall } from '../../shared/http/call.ts';
import { preferredType } from '../../shared/http/content-encoding.ts';
import { nextLink } from '../../shared/http/next-link.ts';
import { json, type Reply } from '../../shared/http/reply.ts';
import { readQuery } from '../../shared/request/read-query.ts';
import { batchResults } from './batch-results.ts';
import { listParts } from './uploads/list-parts.ts';
import { uploadResults } from './uploads/upload-results.ts';

type Needs = Parameters<typeof batchResults>[0] &
  Parameters<typeof listParts>[0] &
  Parameters<typeof uploadResults>[0];

const [NDJSON, JSON_TYPE] = ['application/x-ndjson', 'application/json'];

/** Results as lines, or links to the parts with the results of an upload. */
export async function resultsReply(fx: Needs, batch: Batch, call: AuthenticatedCall): Promise<Reply> {
  const query = readQuery(call, ResultsQuery);
  if (isUpload(batch) && wantsJson(call)) {
    const parts = await listParts(fx, batch, query.cursor);
    const { next_cursor: next } = parts;
    return json(200, parts, { Vary: 'Accept', ...(next !== undefined && { Link: nextLink(call, next) }) });
  }
  const found = isUpload(batch)
    ? await uploadResults(fx, batch, query)
    : await batchResults(fx, batch, query);
  const { lines, next } = found;
  const link = next === undefined ? {} : { Link: nextLink(call, next) };
  const headers = { 'Content-Type': `${NDJSON}; charset=utf-8`, Vary: 'Accept', ...link };
  return { status: 200, headers, body: lines };
}

/** Callers that do not ask for the list of parts get lines. */
function wantsJson({ headers }: AuthenticatedCall): boolean {
  return preferredType(headers['accept'], [NDJSON, JSON_TYPE]) === JSON_TYPE;
}
