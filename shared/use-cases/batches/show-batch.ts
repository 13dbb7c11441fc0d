import type { Organization } from '../../contract/accounts/account.ts';
import type { Batch, BatchView } from '../../contract/batches/batch.ts';
import { type Summary, summaryOf } from '../../domain/batches/state.ts';
import { batchView } from '../../domain/batches/view.ts';
import { isUpload, summaryOfChunks } from '../../domain/batches/upload-state.ts';
import type { Effects } from '../../ports/effects.ts';

type Needs = {
  batches: Pick<Effects['batches'], 'progress'>;
  chunks: Pick<Effects['chunks'], 'progress'>;
  accounts: Pick<Effects['accounts'], 'usage'>;
} & Pick<Effects, 'now' | 'apiUrl'>;

/** Batches with the counts of this moment. */
export async function showBatches(
  fx: Needs,
  organization: Organization,
  batches: readonly Batch[],
): Promise<BatchView[]> {
  const [{ slots }, ...read] = await Promise.all([
    fx.accounts.usage(organization, fx.now()),
    ...batches.map(async (batch) => ({ batch, summary: await summarize(fx, batch) })),
  ]);
  return read.map(({ batch, summary }) => batchView(fx.apiUrl, batch, summary, slots));
}

/** How far a batch is at this moment. */
export async function summarize(
  { batches, chunks }: Pick<Needs, 'batches' | 'chunks'>,
  batch: Batch,
): Promise<Summary> {
  if (!isUpload(batch)) return summaryOf(await batches.progress(batch));
  return summaryOfChunks(await chunks.progress(batch.id, batch.upload.chunks ?? 0));
}
