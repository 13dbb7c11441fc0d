import type { Batch } from '../../contract/batches/batch.ts';
import { idOrNil } from '../../domain/id-or-nil.ts';
import { AppError } from '../../errors.ts';
import type { Effects } from '../../ports/effects.ts';

export type FindNeeds = { batches: Pick<Effects['batches'], 'find'> } & Pick<Effects, 'now'>;

/** Returns a batch of this organization. A malformed, unknown, expired or foreign id throws `not_found`, as a
 * wave of a crawl does. */
export async function findBatch(fx: FindNeeds, orgId: string, id: string): Promise<Batch> {
  const batch = await visibleBatch(fx, idOrNil(id));
  if (batch?.orgId !== orgId || batch.crawlId)
    throw new AppError('not_found', { message: 'There is no such batch.' });
  return batch;
}

/** Of any organization; undefined if it is unknown or expired. */
export async function visibleBatch({ batches, now }: FindNeeds, id: string): Promise<Batch | undefined> {
  const batch = await batches.find(id);
  return batch && batch.expiresAt > now() ? batch : undefined;
}
