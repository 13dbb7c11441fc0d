import { type Batch, ResultsQuery } from '../../shared/contract/batches/batch.ts';
import { UPLOAD_SECONDS } from '../../shared/domain/batches/state.ts';
import type { AuthenticatedCall } from '../../shared/http/call.ts';
import { replayedHeader } from '../../shared/http/idempotency.ts';
import { nextLink } from '../../shared/http/next-link.ts';
import { json, type Reply } from '../../shared/http/reply.ts';
import { LINES, wantsJson } from '../../shared/http/results-type.ts';
import type { Effects } from '../../shared/ports/effects.ts';
import { readQuery } from '../../shared/request/read-query.ts';
import { batchResults, type BatchResultNeeds } from '../../shared/use-cases/batches/batch-results.ts';
import { listParts, type ListPartsNeeds } from '../../shared/use-cases/batches/list-parts.ts';
import { showBatches, type ShowNeeds } from '../../shared/use-cases/batches/show-batch.ts';
import type { SubmittedBatch } from './submit-batch.ts';

export type ReplyNeeds = ShowNeeds & Pick<Effects, 'uploads'>;

const PATH = '/api/v1/scraper/batches';
const POLL_SECONDS = '5';

/** A batch as its caller sees it. */
export async function shown(fx: ReplyNeeds, batch: Batch, call: AuthenticatedCall): Promise<Reply> {
  const body = await viewed(fx, batch, call);
  return json(200, body, body.status === 'running' ? { 'Retry-After': POLL_SECONDS } : {});
}

export async function submitted(
  fx: ReplyNeeds,
  made: SubmittedBatch,
  call: AuthenticatedCall,
): Promise<Reply> {
  const { batch } = made;
  const headers = { Location: `${call.mount}${PATH}/${batch.id}`, 'Retry-After': POLL_SECONDS };
  return json(202, await viewed(fx, batch, call), { ...headers, ...replayedHeader(made) });
}

async function viewed(fx: ReplyNeeds, batch: Batch, { session }: AuthenticatedCall) {
  const [body] = await showBatches(fx, session.organization, [batch]);
  const isAwaited = body?.status === 'waiting_for_upload';
  return {
    ...body,
    ...(isAwaited && { upload_url: await linkTo(fx, batch) }),
  };
}

function linkTo({ uploads }: ReplyNeeds, { upload: { key, contentLength } }: Batch): Promise<string> {
  return uploads.link(key, UPLOAD_SECONDS, contentLength);
}

type ResultNeeds = ListPartsNeeds & BatchResultNeeds;

/** Results as lines, or links to the parts that hold them. */
export async function resultsReply(fx: ResultNeeds, batch: Batch, call: AuthenticatedCall): Promise<Reply> {
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
