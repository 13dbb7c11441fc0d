import { chunkSlotId, extraSlotsOf } from '../../domain/accounts/credits/slots.ts';
import type { Usage } from '../../contract/accounts/account.ts';
import type { Batch } from '../../contract/batches/batch.ts';
import type { Chunk } from '../../contract/batches/chunk.ts';
import type { EventType } from '../../contract/webhooks/webhook.ts';
import { mustReport } from '../../domain/accounts/credits/low-credits.ts';
import { committedPart, failRest, linesLeft, released } from '../../domain/batches/chunk-state.ts';
import { batchView } from '../../domain/batches/view.ts';
import type { ErrorCode } from '../../errors.ts';
import type { Effects } from '../../ports/effects.ts';
import { emitCompat } from '../webhooks/emit-compat.ts';
import { emitEvent } from '../webhooks/emit-event.ts';
import { summarize } from './show-batch.ts';

export type ChunkNeeds = Pick<
  Effects,
  | 'organizations'
  | 'usage'
  | 'batches'
  | 'chunks'
  | 'webhooks'
  | 'deliveries'
  | 'notifierQueue'
  | 'now'
  | 'apiUrl'
> & { queue: Pick<Effects['queue'], 'planCrawl'> };
export type CloseNeeds = Omit<ChunkNeeds, 'organizations' | 'usage'>;

/**
 * Charges and counts what a chunk's last owner has committed, then gives the chunk back, until `notBefore`,
 * or closes it. Safe to run again by any process after a crash at any point.
 */
export async function settleChunk(
  fx: ChunkNeeds,
  batch: Batch,
  chunk: Chunk,
  notBefore?: Date,
): Promise<Usage | undefined> {
  const usage = await chargeChunk(fx, chunk);
  // If this fails, the next scrape of the month does it.
  if (usage && mustReport(usage)) await fx.notifierQueue.credits(chunk.orgId).catch(() => undefined);
  if (batch.crawlId === undefined) await emitPages(fx, batch, chunk);
  if (await fx.chunks.count(chunk, batch.upload.chunks ?? 0)) await completeBatch(fx, batch.id, usage);
  await fx.chunks.replace(chunk, released(chunk, batch, notBefore));
  return usage;
}

/** Reports a batch that has ended without a chunk, and takes it off the sweeper's list. */
export async function closeBatch(fx: CloseNeeds, batch: Batch): Promise<void> {
  await reportEnd(fx, batch, undefined);
  await fx.batches.complete(batch.id, batch.completedAt ?? fx.now());
}

/** Notes that all requests of a batch have ended, and reports it. */
async function completeBatch(fx: CloseNeeds, id: string, usage: Usage | undefined): Promise<void> {
  const batch = await fx.batches.complete(id, fx.now());
  if (batch) await reportEnd(fx, batch, usage);
}

/** Emits the event. The end of a wave is for its crawl alone to know. */
async function reportEnd(fx: CloseNeeds, batch: Batch, usage: Usage | undefined): Promise<void> {
  const { crawlId, orgId } = batch;
  if (crawlId === undefined) await emitBatchCompleted(fx, batch, usage);
  else await fx.queue.planCrawl({ id: crawlId, orgId });
}

/** Emits the pages that the last owner has committed. A wave's are known once it is merged. */
async function emitPages(fx: CloseNeeds, batch: Batch, chunk: Chunk): Promise<void> {
  const { batchId, index } = chunk;
  const { token, at } = committedPart(chunk) ?? {};
  if (token === undefined || at === undefined) return;
  await emitCompat(fx, batch, { of: 'batch_scrape', name: 'page', at, part: { batchId, index, token } });
}

const COMPLETED: EventType = 'batch.completed';

/** Safe to run again: the event has the time at which the batch was first complete. */
async function emitBatchCompleted(fx: CloseNeeds, batch: Batch, usage: Usage | undefined): Promise<void> {
  const { id: subject, orgId, webhook, compatHook, completedAt: at = fx.now() } = batch;
  const isAwaited = usage === undefined || usage.events.types.has(COMPLETED);
  if (webhook === undefined && !isAwaited) return;
  const data = batchView(fx.apiUrl, batch, await summarize(fx, batch));
  await emitEvent(fx, { type: COMPLETED, orgId, subject, at, data }, compatHook ? undefined : webhook);
  await emitCompat(fx, batch, { of: 'batch_scrape', name: 'completed', at });
}

/** Frees the slots of a chunk's owner. What the owner has committed is charged, and nothing else. */
export async function chargeChunk(
  fx: Pick<Effects, 'organizations' | 'usage' | 'now'>,
  chunk: Chunk,
): Promise<Usage | undefined> {
  const organization = await fx.organizations.find(chunk.orgId);
  if (organization === undefined || chunk.fencingToken === 0) return undefined;
  const { held = 0, ...ended } = chunk.charge ?? {};
  const tally = 'charged' in ended ? ended : undefined;
  let usage = await fx.usage.settle(
    organization,
    { slotId: chunkSlotId(chunk), held, ended: tally },
    fx.now(),
  );
  // Left by a dead owner.
  for (const slotId of extraSlotsOf(usage, chunk))
    usage = await fx.usage.settle(organization, { slotId, held: 0 }, fx.now());
  return usage;
}

/** Fails the lines of a chunk that have not ended. Does nothing if another process has changed it. */
export async function failChunk(
  fx: ChunkNeeds,
  batch: Batch,
  chunk: Chunk,
  code: ErrorCode,
): Promise<Usage | undefined> {
  if (linesLeft(chunk) === 0) return undefined;
  const failed = failRest(chunk, code, fx.now());
  return (await fx.chunks.replace(chunk, failed)) ? settleChunk(fx, batch, failed) : undefined;
}
