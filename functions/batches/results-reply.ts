import { type Batch, ResultsQuery } from '../../shared/contract/batches/batch.ts';
import type { AuthenticatedCall } from '../../shared/http/call.ts';
import { preferredType } from '../../shared/http/content-encoding.ts';
import { nextLink } from '../../shared/http/next-link.ts';
import { json, type Reply } from '../../shared/http/reply.ts';
import { readQuery } from '../../shared/request/read-query.ts';
import { batchResults, type BatchResultNeeds } from '../../shared/use-cases/batches/batch-results.ts';
import { listParts, type PartNeeds } from './list-parts.ts';

type Needs = PartNeeds & BatchResultNeeds;

const [NDJSON, JSON_TYPE] = ['application/x-ndjson', 'application/json'];

/** Results as lines, or links to the parts that hold them. */
export async function resultsReply(fx: Needs, batch: Batch, call: AuthenticatedCall): Promise<Reply> {
  const query = readQuery(call, ResultsQuery);
  const linkTo = (next: string | undefined) => (next === undefined ? {} : { Link: nextLink(call, next) });
  if (wantsJson(call)) {
    const parts = await listParts(fx, batch, query.cursor);
    return json(200, parts, { Vary: 'Accept', ...linkTo(parts.next_cursor) });
  }
  const { lines, next } = await batchResults(fx, batch, query);
  const headers = { 'Content-Type': `${NDJSON}; charset=utf-8`, Vary: 'Accept', ...linkTo(next) };
  return { status: 200, headers, body: lines };
}

/** Callers that do not ask for the list of parts get lines. */
function wantsJson({ headers }: AuthenticatedCall): boolean {
  return preferredType(headers['accept'], [NDJSON, JSON_TYPE]) === JSON_TYPE;
}
