import { type Batch, BatchId } from '../contract/batch.ts';
import { isBatchVisible } from '../domain/batch/state.ts';
import { AppError } from '../errors.ts';
import type { Effects } from '../ports.ts';

type Needs = { batches: Pick<Effects['batches'], 'find'> } & Pick<Effects, 'now'>;

/** Returns a batch of this organization. A malformed, unknown, expired or foreign id throws `not_found`. */
export async function findBatch({ batches, now }: Needs, orgId: string, id: string): Promise<Batch> {
  const batch = await batches.find(BatchId.safeParse(id).success ? id : NOBODYS_ID);
  const isOwn = batch?.orgId === orgId && isBatchVisible(batch, now());
  if (!isOwn) throw new AppError('not_found', { message: 'There is no such batch.' });
  return batch;
}

/** Looked up for a malformed id, so that it takes as long as any other. */
const NOBODYS_ID = '00000000-0000-7000-8000-000000000000';
