import { Readable } from 'node:stream';
import type { Batch } from '../../shared/contract/batches/batch.ts';
import type { BatchItem } from '../../shared/contract/batches/batch-request.ts';
import type { Chunk } from '../../shared/contract/batches/chunk.ts';
import { assertCap, assertTotal, cost, costs } from '../../shared/domain/accounts/credits/charge.ts';
import { limitsOf } from '../../shared/domain/accounts/credits/plan.ts';
import { assertFormats } from '../../shared/domain/accounts/key-restrictions.ts';
import { linesForSlots } from '../../shared/domain/batches/chunk-size.ts';
import { cutChunks, START } from '../../shared/domain/batches/cut-chunks.ts';
import { accepted, newBatch, started } from '../../shared/domain/batches/state.ts';
import { AppError } from '../../shared/errors.ts';
import type { AuthenticatedCall } from '../../shared/http/call.ts';
import { claimKey } from '../../shared/http/idempotency.ts';
import type { Effects } from '../../shared/ports/effects.ts';
import type { WantedBatch } from '../../shared/request/parse-batch-request.ts';
import { forEachConcurrently } from '../../shared/time/for-each-concurrently.ts';
import { acceptBatch, type AcceptNeeds } from '../../shared/use-cases/batches/accept-batch.ts';
import { visibleBatch } from '../../shared/use-cases/batches/find-batch.ts';
import { assertEndpoint } from '../../shared/use-cases/webhooks/assert-endpoint.ts';

export type SubmitNeeds = AcceptNeeds & Pick<Effects, 'chunks' | 'jobs' | 'uploads' | 'newId'>;
export type SubmittedBatch = { batch: Batch; isReplayed: boolean };

/** Writes at the same time. */
const CONCURRENCY = 50;

/**
 * Stores the requests as an upload's, then the batch, which is submitted from then on: if the call dies, a
 * worker reads the requests again. Throws `insufficient_credits`, `cost_cap_exceeded`,
 * `idempotency_key_reused` and `idempotency_in_flight` before any write.
 */
export async function submitBatch(
  fx: SubmitNeeds,
  { lines, ...wanted }: WantedBatch & Pick<Batch, 'compatHook'>,
  key: string | undefined,
  call: AuthenticatedCall,
): Promise<SubmittedBatch> {
  const { items, maxCredits, webhook } = wanted;
  const { session, requestLog } = call;
  for (const item of items) assertFormats(session.restrictions, item);
  const credits = priceOf(items, maxCredits);
  const assertNew = () => assertEndpoint(fx, session.organization.id, webhook);
  const find = (id: string) => visibleBatch(fx, id);
  const { id, made } = await claimKey(fx, { key, body: wanted, credits, assertNew }, call, find);
  if (made) return { batch: made, isReplayed: true };
  call.meter.assertCredits(credits);
  requestLog.note({ batchId: id });
  requestLog.enter('store');
  const batch = await create(fx, { id, lines, ...wanted }, call);
  try {
    return { batch: await divide(fx, batch, lines), isReplayed: false };
  } catch (error) {
    // It is stored, and the sweeper has it read.
    requestLog.fail(error);
    return { batch, isReplayed: false };
  }
}

async function create(
  fx: SubmitNeeds,
  {
    id,
    lines,
    tags,
    webhook,
    compatHook,
    completeWithin,
  }: Omit<WantedBatch, 'items'> & Pick<Batch, 'id' | 'compatHook'>,
  { session: { organization, keyId }, requestId }: AuthenticatedCall,
): Promise<Batch> {
  const by = { id, orgId: organization.id, keyId, requestId, tags, webhook, compatHook };
  const chunkLines = linesForSlots(lines.length, limitsOf(organization).concurrency);
  // Under a key of its own, so that a repeat replaces nothing that is read.
  const key = `results/${organization.id}/${id}/${fx.newId()}/requests.ndjson`;
  const upload = { key, defaults: {}, completeWithin, chunkLines };
  const version = await fx.uploads.write(key, Readable.from(lines));
  const batch = started(newBatch({ ...by, total: lines.length, upload }, fx.now()), version, fx.now());
  if (await fx.batches.create(batch)) return batch;
  // The write may have succeeded although its response said otherwise.
  const stored = await fx.batches.find(id);
  if (stored?.upload.key === key) return stored;
  throw new AppError('idempotency_in_flight', { retryAfter: 1 });
}

/** Lets the requests run. A read of what is stored makes the same chunks. */
async function divide(fx: SubmitNeeds, batch: Batch, lines: readonly string[]): Promise<Batch> {
  const chunks = cut(batch, lines);
  await forEachConcurrently(CONCURRENCY, chunks, async (chunk) => fx.chunks.create(chunk));
  const divided = accepted(batch, { lines: lines.length, chunks: chunks.length }, fx.now());
  await acceptBatch(fx, divided);
  return divided;
}

function cut(batch: Batch, lines: readonly string[]): Chunk[] {
  const chunks = cutChunks(batch, { ...START }, batch.upload.chunkLines);
  let at = 0;
  for (const [index, text] of lines.entries()) {
    const bytes = Buffer.byteLength(text);
    chunks.add({ line: index + 1, at, bytes });
    at += bytes;
  }
  chunks.close();
  return chunks.take();
}

/** The least that all of it costs. Throws `cost_cap_exceeded` if it could be more than its caller wants. */
function priceOf(items: readonly BatchItem[], maxCredits: number | undefined): number {
  for (const [index, item] of items.entries()) assertCap(item, `requests[${index}].max_credits`);
  const sum = (costOf: (item: BatchItem) => number) => items.reduce((all, item) => all + costOf(item), 0);
  assertTotal(sum(cost), maxCredits);
  return sum((item) => costs(item).at(-1) ?? 0);
}
