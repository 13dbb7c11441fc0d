import type { Batch } from '../../contract/batches/batch.ts';
import type { Effects } from '../../ports/effects.ts';
import { wakeWorkers } from '../jobs/wake-workers.ts';
import { closeBatch, type CloseNeeds } from './settle-chunk.ts';

export type AcceptNeeds = Pick<Effects, 'organizations' | 'usage' | 'waitList' | 'queue' | 'now'> &
  CloseNeeds;

/** Lets the chunks of a batch run, all of which exist, unless it has ended. */
export async function acceptBatch(fx: AcceptNeeds, batch: Batch): Promise<void> {
  const organization = await fx.organizations.find(batch.orgId);
  if (organization) await fx.waitList.noteBacklog(organization, fx.now());
  if (!(await fx.batches.advance(batch, 'reading'))) return;
  if (batch.completedAt) return closeBatch(fx, batch);
  if (organization === undefined) return;
  const usage = await fx.usage.read(organization, fx.now());
  await wakeWorkers(fx, organization, usage, batch.upload.chunks ?? 0);
}
