import { type Batch, BatchId } from '../../shared/contract/batches/batch.ts';
import type { AuthenticatedCall } from '../../shared/http/call.ts';
import { findBatch, type FindNeeds } from '../../shared/use-cases/batches/find-batch.ts';

/** The batch that the path names. Throws `not_found`, also for another organization's batch. */
export const batchOf = (fx: FindNeeds, call: AuthenticatedCall): Promise<Batch> =>
  findBatch(fx, call.session.organization.id, batchId(call));

export function batchId({ params: { batch_id: id = '' }, requestLog }: AuthenticatedCall): string {
  if (BatchId.safeParse(id).success) requestLog.note({ batchId: id });
  return id;
}
