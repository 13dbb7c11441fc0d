import type { Organization } from '../contract/account.ts';
import type { Batch, BatchView } from '../contract/batch.ts';
import { snakeKeys } from '../contract/case.ts';
import { countsOf, creditsOf, isAllSettled } from '../domain/batch/state.ts';
import type { Effects } from '../ports.ts';

type Needs = { batches: Pick<Effects['batches'], 'progress'> } & {
  accounts: Pick<Effects['accounts'], 'usage'>;
} & Pick<Effects, 'now'>;

/** A batch with the counts of this moment. `apiUrl` precedes the paths of the API, if they need that. */
export async function showBatch(
  { accounts, batches, now }: Needs,
  organization: Organization,
  batch: Batch,
  apiUrl = '',
): Promise<BatchView> {
  const [progress, usage] = await Promise.all([batches.progress(batch), accounts.usage(organization, now())]);
  const { id, tags, createdAt, deadlineAt, cancelledAt, completedAt, expiresAt } = batch;
  const isCompleted = completedAt !== undefined || isAllSettled(batch, progress);
  return {
    ...snakeKeys({
      batchId: id,
      status: cancelledAt
        ? ('cancelled' as const)
        : isCompleted
          ? ('completed' as const)
          : ('running' as const),
      counts: countsOf(batch, progress, usage),
      creditsUsed: creditsOf(progress),
      tags,
      createdAt: createdAt.toISOString(),
      deadlineAt: deadlineAt.toISOString(),
      cancelledAt: cancelledAt?.toISOString(),
      completedAt: completedAt?.toISOString(),
      expiresAt: expiresAt.toISOString(),
      resultsUrl: `${apiUrl}/api/v1/scraper/batches/${id}/results`,
    }),
  };
}
