import type { SlotsInUse } from '../../contract/accounts/account.ts';
import type { Batch, BatchCounts, BatchView } from '../../contract/batches/batch.ts';
import { snakeKeys } from '../../contract/case.ts';
import { countsOf, type Summary } from './state.ts';

/** A batch as its caller sees it. */
export function batchView(apiUrl: string, batch: Batch, summary: Summary, slots: SlotsInUse = {}): BatchView {
  const { id, tags, error, createdAt, startedAt, deadlineAt, cancelledAt, completedAt, expiresAt } = batch;
  const counts = countsOf(batch, summary, slots);
  return snakeKeys({
    batchId: id,
    status: statusOf(batch, counts),
    counts,
    creditsUsed: summary.credits,
    tags,
    error: error?.message,
    errorCode: error?.code,
    createdAt: createdAt.toISOString(),
    startedAt: startedAt?.toISOString(),
    deadlineAt: deadlineAt.toISOString(),
    cancelledAt: cancelledAt?.toISOString(),
    completedAt: completedAt?.toISOString(),
    expiresAt: expiresAt.toISOString(),
    resultsUrl: `${apiUrl}/api/v1/scraper/batches/${id}/results`,
  });
}

function statusOf(batch: Batch, { pending, running }: BatchCounts): BatchView['status'] {
  if (batch.cancelledAt) return 'cancelled';
  if (batch.completedAt) return 'completed';
  if (batch.state === 'waiting_for_upload') return batch.state;
  return batch.state === 'accepted' && pending + running === 0 ? 'completed' : 'running';
}
