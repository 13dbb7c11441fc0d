import type { Organization } from '../contract/account.ts';
import type { Batch, BatchView } from '../contract/batch.ts';
import { batchView } from '../domain/batch/view.ts';
import type { Effects } from '../ports.ts';

type Needs = {
  batches: Pick<Effects['batches'], 'progress'>;
  accounts: Pick<Effects['accounts'], 'usage'>;
} & Pick<Effects, 'now'>;

/** Batches with the counts of this moment. `mount` precedes the paths of the API. */
export async function showBatches(
  fx: Needs,
  organization: Organization,
  batches: readonly Batch[],
  mount = '',
): Promise<BatchView[]> {
  const [{ slots }, ...read] = await Promise.all([
    fx.accounts.usage(organization, fx.now()),
    ...batches.map(async (batch) => ({ batch, progress: await fx.batches.progress(batch) })),
  ]);
  return read.map(({ batch, progress }) => batchView(batch, progress, slots, mount));
}
