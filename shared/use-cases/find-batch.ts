import type { Batch } from '../contract/batch.ts';
import { isBatchVisible } from '../domain/batch/state.ts';
import { idOrNobodys } from '../domain/id-or-nobodys.ts';
import { AppError } from '../errors.ts';
import type { Effects } from '../ports.ts';

type Needs = { batches: Pick<Effects['batches'], 'find'> } & Pick<Effects, 'now'>;

/** Returns a batch of this organization. A malformed, unknown, expired or foreign id throws `not_found`. */
export async function findBatch({ batches, now }: Needs, orgId: string, id: string): Promise<Batch> {
  const batch = await batches.find(idOrNobodys(id));
  const isOwn = batch?.orgId === orgId && isBatchVisible(batch, now());
  if (!isOwn) throw new AppError('not_found', { message: 'There is no such batch.' });
  return batch;
}
