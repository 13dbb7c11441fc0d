import type { Usage } from '../contract/account.ts';
import type { FinishedJob } from '../contract/job.ts';
import type { EventType } from '../contract/webhook.ts';
import { jobView } from '../domain/job/view.ts';
import type { Effects } from '../ports.ts';
import { emitEvent } from './emit-event.ts';

type Needs = Pick<Effects, 'webhooks' | 'deliveries' | 'notices' | 'now'>;

/**
 * Emits the event of a finished job. Without a webhook and an endpoint this reads and writes nothing, as the
 * usage says. Without the usage, the endpoints are looked up.
 */
export async function tellOfJob(fx: Needs, job: FinishedJob, usage: Usage | undefined): Promise<void> {
  const type: EventType = job.status === 'completed' ? 'job.completed' : 'job.failed';
  const isAwaited = usage === undefined || usage.events?.has(type);
  if (job.webhook === undefined && !isAwaited) return;
  const { id: subject, orgId, completedAt: at, webhook } = job;
  await emitEvent(fx, { type, orgId, subject, at, data: jobView(job) }, webhook);
}
