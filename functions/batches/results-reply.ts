import { type Batch, ResultsQuery, type BatchParts } from '../../shared/contract/batches/batch.ts';
import type { AuthenticatedCall } from '../../shared/http/call.ts';
import { preferredType } from '../../shared/http/content-encoding.ts';
import { nextLink } from '../../shared/http/next-link.ts';
import { json, type Reply } from '../../shared/http/reply.ts';
import { readQuery } from '../../shared/request/read-query.ts';
import { batchResults, type BatchResultNeeds } from '../../shared/use-cases/batches/batch-results.ts';
import type { Chunk } from '../../shared/contract/batches/chunk.ts';
import { partKey } from '../../shared/domain/batches/part-key.ts';
import type { Effects } from '../../shared/ports/effects.ts';
import { type ChunkPart, partsAfter } from '../../shared/use-cases/batches/parts-after.ts';

type Needs = PartNeeds & BatchResultNeeds;

const [LINES, PARTS] = ['application/x-ndjson', 'application/json'] as const;

/** Results as lines, or links to the parts that hold them. */
export async function resultsReply(fx: Needs, batch: Batch, call: AuthenticatedCall): Promise<Reply> {
  const query = readQuery(call, ResultsQuery);
  const linkTo = (next: string | undefined) => (next === undefined ? {} : { Link: nextLink(call, next) });
  if (wantsJson(call)) {
    const parts = await listParts(fx, batch, query.cursor);
    return json(200, parts, { Vary: 'Accept', ...linkTo(parts.next_cursor) });
  }
  const { lines, next } = await batchResults(fx, batch, query);
  const headers = { 'Content-Type': `${LINES}; charset=utf-8`, Vary: 'Accept', ...linkTo(next) };
  return { status: 200, headers, body: lines };
}

/** Callers that do not ask for the list of parts get lines. */
function wantsJson({ headers }: AuthenticatedCall): boolean {
  return preferredType(headers['accept'], [LINES, PARTS]) === PARTS;
}

type PartNeeds = Pick<Effects, 'chunks' | 'results'>;

const MAX_PARTS = 100;
const LINK_SECONDS = 3_600;
const PART = { contentType: LINES, contentEncoding: 'gzip' } as const;

/** Links to parts that the cursor does not cover. Throws `invalid_request` for another batch's cursor. */
async function listParts(fx: PartNeeds, batch: Batch, cursor: string | undefined): Promise<BatchParts> {
  const { parts, next } = await partsAfter(fx, batch, cursor, (taken) => taken.length < MAX_PARTS);
  const data = await Promise.all(parts.map((part) => shown(fx, part)));
  return { data, ...(next !== undefined && { next_cursor: next }) };
}

async function shown({ results }: PartNeeds, { chunk, token, lines, bytes }: ChunkPart) {
  if (token === undefined)
    return { lines, first_line: firstNotRun(chunk), ...(chunk.rest && { error_code: chunk.rest }) };
  return { url: await results.link(partKey(chunk, token, 'pages'), PART, LINK_SECONDS), lines, bytes };
}

function firstNotRun({ next, at, bytes, retries }: Chunk): number {
  const fresh = next.at < at + bytes ? [next.line] : [];
  return Math.min(...fresh, ...retries.map(({ line }) => line));
}
