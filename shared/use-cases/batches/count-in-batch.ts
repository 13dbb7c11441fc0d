import type { Usage } from '../../contract/accounts/account.ts';
import type { Batch } from '../../contract/batches/batch.ts';
import type { FinishedJob } from '../../contract/jobs/job.ts';
import type { EventType } from '../../contract/webhooks/webhook.ts';
import { outcomeOf, type Summary, summaryOf } from '../../domain/batches/state.ts';
import { batchView } from '../../domain/batches/view.ts';
import { later, RETENTION_MS } from '../../domain/jobs/timing.ts';
import type { Effects } from '../../ports/effects.ts';
import { emitEvent } from '../webhooks/emit-event.ts';

type Needs = Pick<Effects, 'batches' | 'webhooks' | 'deliveries' | 'notifierQueue' | 'now' | 'apiUrl'>;

/**
 * Counts a job that ended in its batch. Once every job is counted, the batch is complete, and its event is
 * emitted. Safe to run again: the event has the time at which the batch was first complete.
 */
export async function countInBatch(fx: Needs, job: FinishedJob, usage: Usage | undefined): Promise<void> {
  if (job.batch === undefined) return;
  const isLast = await fx.batches.count(job.batch, outcomeOf(job), later(job.deadlineAt, RETENTION_MS));
  const batch = isLast ? await fx.batches.complete(job.batch.id, fx.now()) : undefined;
  if (batch) await tellOfBatch(fx, batch, usage, async () => summaryOf(await fx.batches.progress(batch)));
}

const COMPLETED: EventType = 'batch.completed';

/** Emits the event of a batch that is complete. */
export async function tellOfBatch(
  fx: Omit<Needs, 'batches'>,
  batch: Batch,
  usage: Usage | undefined,
  summarize: () => Promise<Summary>,
): Promise<void> {
  const { id: subject, orgId, webhook, completedAt: at = fx.now() } = batch;
  const isAwaited = usage === undefined || usage.events?.has(COMPLETED);
  if (webhook === undefined && !isAwaited) return;
  const data = batchView(fx.apiUrl, batch, await summarize());
  await emitEvent(fx, { type: COMPLETED, orgId, subject, at, data }, webhook);
}
