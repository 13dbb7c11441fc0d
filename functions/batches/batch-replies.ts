import type { Batch } from '../../shared/contract/batches/batch.ts';
import { UPLOAD_SECONDS } from '../../shared/domain/batches/state.ts';
import type { AuthenticatedCall } from '../../shared/http/call.ts';
import { replayedHeader } from '../../shared/http/idempotency.ts';
import { json, type Reply } from '../../shared/http/reply.ts';
import type { Effects } from '../../shared/ports/effects.ts';
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
