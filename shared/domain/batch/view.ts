import type { Usage } from '../../contract/account.ts';
import type { Batch, BatchView } from '../../contract/batch.ts';
import { snakeKeys } from '../../contract/case.ts';
import { countsOf, creditsOf, isAllSettled, type Progress } from './state.ts';

/** A batch as its caller sees it. `mount` precedes the paths of the API. */
export function batchView(
  batch: Batch,
  progress: Progress,
  slots: Usage['slots'] = {},
  mount = '',
): BatchView {
  const { id, tags, createdAt, deadlineAt, cancelledAt, completedAt, expiresAt } = batch;
  return snakeKeys({
    batchId: id,
    status: statusOf(batch, progress),
    counts: countsOf(batch, progress, slots),
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
