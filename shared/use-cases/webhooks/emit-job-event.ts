import type { Usage } from '../../contract/accounts/account.ts';
import type { FinishedJob } from '../../contract/jobs/job.ts';
import type { EventType } from '../../contract/webhooks/webhook.ts';
import { jobView } from '../../domain/jobs/view.ts';
import type { Effects } from '../../ports/effects.ts';
import { emitEvent } from './emit-event.ts';

type Needs = Pick<Effects, 'webhooks' | 'deliveries' | 'notifierQueue' | 'now'>;

/**
 * Emits the event of a finished job. Without a webhook and an endpoint this reads and writes nothing, as the
 * usage says. Without the usage, the endpoints are looked up.
 */
export async function emitJobEvent(fx: Needs, job: FinishedJob, usage: Usage | undefined): Promise<void> {
  if (usage !== undefined && !isAwaited(job, usage)) return;
  const { id: subject, orgId, completedAt: at, webhook } = job;
  await emitEvent(fx, { type: typeOf(job), orgId, subject, at, data: jobView(job) }, webhook);
}

/** Whether the job has a webhook, or an endpoint receives its event. */
export function isAwaited(job: FinishedJob, { events }: Usage): boolean {
  return job.webhook !== undefined || events.types.has(typeOf(job));
}

const typeOf = ({ status }: FinishedJob): EventType =>
  status === 'completed' ? 'job.completed' : 'job.failed';
