import { z } from 'zod';
import { Batch } from '../../../contract/batches/batch.ts';

/** The partition of the index `open` with batches that are the sweeper's. */
export const SWEPT = 'BATCHES';

export const PREFIX = 'BATCH#';

export const batchKey = (id: string) => PREFIX + id;

/** The partition of an organization's batches, in `by_org` of all and in `open` of batches in progress. */
export const batchesOf = (orgId: string) => `BATCHES#${orgId}`;

/** The partition of `open` with batches that wait for their upload. */
export const awaitedOf = (orgId: string) => `UPLOADS#${orgId}`;

/** Only a batch with a time at which it is due is in the index `open`. */
export function batchItem(batch: Batch) {
  const { id, orgId, state, completedAt, dueAt } = batch;
  const partitions = { accepted: batchesOf(orgId), waiting_for_upload: awaitedOf(orgId) };
  const partition =
    state in partitions && !completedAt ? partitions[state as keyof typeof partitions] : SWEPT;
  return {
    pk: batchKey(id),
    job_of: batchesOf(orgId),
    ...z.encode(Batch, batch),
    ...(dueAt && { open_shard: partition }),
  };
}
