import type { Organization, Usage } from '../contract/account.ts';
import type { Batch, BatchView } from '../contract/batch.ts';
import { snakeKeys } from '../contract/case.ts';
import { countsOf, creditsOf, isAllSettled, type Progress } from '../domain/batch/state.ts';
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
  const [usage, ...progresses] = await Promise.all([
    fx.accounts.usage(organization, fx.now()),
    ...batches.map(async (batch) => ({ batch, progress: await fx.batches.progress(batch) })),
  ]);
  return progresses.map(({ batch, progress }) => viewOf(batch, progress, usage, mount));
}

function viewOf(batch: Batch, progress: Progress, usage: Usage, mount: string): BatchView {
  const { id, tags, createdAt, deadlineAt, cancelledAt, completedAt, expiresAt } = batch;
  return snakeKeys({
    batchId: id,
    status: statusOf(batch, progress),
    counts: countsOf(batch, progress, usage),
    creditsUsed: creditsOf(progress),
    tags,
    createdAt: createdAt.toISOString(),
    deadlineAt: deadlineAt.toISOString(),
    cancelledAt: cancelledAt?.toISOString(),
    completedAt: completedAt?.toISOString(),
    expiresAt: expiresAt.toISOString(),
    resultsUrl: `${mount}/api/v1/scraper/batches/${id}/results`,
  });
}

function statusOf(batch: Batch, progress: Progress): BatchView['status'] {
  if (batch.cancelledAt) return 'cancelled';
  return batch.completedAt || isAllSettled(batch, progress) ? 'completed' : 'running';
}
