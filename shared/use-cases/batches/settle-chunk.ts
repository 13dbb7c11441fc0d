import { chunkSlotId, extraSlotsOf } from '../../domain/accounts/credits/slots.ts';
import type { Usage } from '../../contract/accounts/account.ts';
import type { Chunk } from '../../contract/batches/chunk.ts';
import { mustReport } from '../../domain/accounts/credits/low-credits.ts';

import { failRest, linesLeft, released } from '../../domain/batches/chunk-state.ts';
import type { UploadBatch } from '../../domain/batches/upload-state.ts';
import type { ErrorCode } from '../../errors.ts';
import type { Effects } from '../../ports/effects.ts';
import { tellOfBatch } from './count-in-batch.ts';
import { summarize } from './show-batch.ts';

export type ChunkNeeds = Pick<
  Effects,
  'accounts' | 'batches' | 'chunks' | 'webhooks' | 'deliveries' | 'notifierQueue' | 'now' | 'apiUrl'
>;

/**
 * Charges and counts what a chunk's last owner has committed, then gives the chunk back, until `notBefore`,
 * or closes it. Safe to run again by any process after a crash at any point.
 */
export async function settleChunk(
  fx: ChunkNeeds,
  batch: UploadBatch,
  chunk: Chunk,
  notBefore?: Date,
): Promise<Usage | undefined> {
  const usage = await chargeFor(fx, chunk);
  // If this fails, the next scrape of the month does it.
  if (usage && mustReport(usage)) await fx.notifierQueue.credits(chunk.orgId).catch(() => undefined);
  if (await fx.chunks.count(chunk, batch.upload.chunks ?? 0)) await completeUpload(fx, batch.id, usage);
  await fx.chunks.replace(chunk, released(chunk, batch, notBefore));
  return usage;
}

/** Emits the event of an upload that has ended without a chunk, and takes it off the sweeper's list. */
export async function closeUpload(fx: Omit<ChunkNeeds, 'accounts'>, batch: UploadBatch): Promise<void> {
  await tellOfBatch(fx, batch, undefined, async () => summarize(fx, batch));
  await fx.batches.complete(batch.id, batch.completedAt ?? fx.now());
}

/** Notes that all requests of an upload have ended, and emits the event. */
async function completeUpload(
  fx: Omit<ChunkNeeds, 'accounts'>,
  id: string,
  usage: Usage | undefined,
): Promise<void> {
  const batch = await fx.batches.complete(id, fx.now());
  if (batch) await tellOfBatch(fx, batch, usage, async () => summarize(fx, batch));
}

/** Frees the slots of a chunk's owner. What the owner has committed is charged, and nothing else. */
export async function chargeFor(
  { accounts, now }: Pick<Effects, 'accounts' | 'now'>,
  chunk: Chunk,
): Promise<Usage | undefined> {
  const organization = await accounts.findOrganization(chunk.orgId);
  if (organization === undefined || chunk.fencingToken === 0) return undefined;
  const { held = 0, ...ended } = chunk.charge ?? {};
  const tally = 'charged' in ended ? ended : undefined;
  let usage = await accounts.settle(organization, { slotId: chunkSlotId(chunk), held, ended: tally }, now());
  // Of an owner that has died.
  for (const slotId of extraSlotsOf(usage, chunk))
    usage = await accounts.settle(organization, { slotId, held: 0 }, now());
  return usage;
}

/** Fails the lines of a chunk that have not ended. Does nothing if another process has changed it. */
export async function failChunk(
  fx: ChunkNeeds,
  batch: UploadBatch,
  chunk: Chunk,
  code: ErrorCode,
): Promise<Usage | undefined> {
  if (linesLeft(chunk) === 0) return undefined;
  const failed = failRest(chunk, code, fx.now());
  return (await fx.chunks.replace(chunk, failed)) ? settleChunk(fx, batch, failed) : undefined;
}
