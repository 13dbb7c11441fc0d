import type { UploadBatch } from '../../../shared/domain/batches/upload-state.ts';
import type { Effects } from '../../../shared/ports/effects.ts';
import { closeUpload } from '../../../shared/use-cases/batches/settle-chunk.ts';
import { wakeWorkers } from '../../../shared/use-cases/jobs/wake-workers.ts';

type Needs = Pick<Effects, 'accounts' | 'queue' | 'now'> & Parameters<typeof closeUpload>[0];

/** Lets the chunks of a batch run, unless it has ended. */
export async function acceptUpload(fx: Needs, batch: UploadBatch): Promise<void> {
  const organization = await fx.accounts.findOrganization(batch.orgId);
  if (organization) await fx.accounts.noteBacklog(organization, fx.now());
  if (!(await fx.batches.advance(batch, 'reading'))) return;
  if (batch.completedAt) return closeUpload(fx, batch);
  if (organization === undefined) return;
  const usage = await fx.accounts.usage(organization, fx.now());
  await wakeWorkers(fx, organization, usage, batch.upload.chunks ?? 0);
}
