import type { Organization } from '../../contract/accounts/account.ts';
import type { Batch, BatchView } from '../../contract/batches/batch.ts';
import { chunkNotRun, type Summary, summaryOf } from '../../domain/batches/state.ts';
import { batchView } from '../../domain/batches/view.ts';
import type { Effects } from '../../ports/effects.ts';

export type ShowNeeds = {
  chunks: Pick<Effects['chunks'], 'progress'>;
  usage: Pick<Effects['usage'], 'read'>;
} & Pick<Effects, 'now' | 'apiUrl'>;

/** Batches with the counts of this moment. */
export async function showBatches(
  fx: ShowNeeds,
  organization: Organization,
  batches: readonly Batch[],
): Promise<BatchView[]> {
  const [{ slots }, ...read] = await Promise.all([
    fx.usage.read(organization, fx.now()),
    ...batches.map(async (batch) => ({ batch, summary: await summarize(fx, batch) })),
  ]);
  return read.map(({ batch, summary }) => batchView(fx.apiUrl, batch, summary, slots.inUse));
}

/** How far a batch is at this moment. */
export async function summarize({ chunks }: Pick<ShowNeeds, 'chunks'>, batch: Batch): Promise<Summary> {
  const notRun = chunkNotRun(batch);
  if (notRun) return summaryOf([{ ...notRun, isDone: true }]);
  return summaryOf(await chunks.progress(batch.id, batch.upload.chunks ?? 0));
}
