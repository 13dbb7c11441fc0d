import { type Batch, ResultsQuery } from '../../shared/contract/batches/batch.ts';
import type { AuthenticatedCall } from '../../shared/http/call.ts';
import { nextLink } from '../../shared/http/next-link.ts';
import { json, type Reply } from '../../shared/http/reply.ts';
import { LINES, wantsJson } from '../../shared/http/results-type.ts';
import { readQuery } from '../../shared/request/read-query.ts';
import { batchResults, type BatchResultNeeds } from '../../shared/use-cases/batches/batch-results.ts';
import { listParts, type ListPartsNeeds } from '../../shared/use-cases/batches/list-parts.ts';

type Needs = ListPartsNeeds & BatchResultNeeds;

/** Results as lines, or links to the parts that hold them. */
export async function resultsReply(fx: Needs, batch: Batch, call: AuthenticatedCall): Promise<Reply> {
  const query = readQuery(call, ResultsQuery);
  const linkTo = (next: string | undefined) => (next === undefined ? {} : { Link: nextLink(call, next) });
  if (wantsJson(call)) {
    const parts = await listParts(fx, batch, query.cursor, () => ({}));
    return json(200, parts, { Vary: 'Accept', ...linkTo(parts.next_cursor) });
  }
  const { lines, next } = await batchResults(fx, batch, query);
  const headers = { 'Content-Type': `${LINES}; charset=utf-8`, Vary: 'Accept', ...linkTo(next) };
  return { status: 200, headers, body: lines };
}
