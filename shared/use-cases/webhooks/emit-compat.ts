import { type CompatHook, DEFAULT_ENDPOINT, type DeliveredPart } from '../../contract/webhooks/webhook.ts';
import { eventIdOf } from '../../domain/webhooks/event.ts';
import { COMPAT_TYPE } from '../../domain/webhooks/signature.ts';
import type { Effects } from '../../ports/effects.ts';
import { isEndpointId, sendTo } from './emit-event.ts';

type Needs = Pick<Effects, 'deliveries' | 'notifierQueue' | 'now'>;
type Name = CompatHook['events'][number];

/** A crawl or batch whose webhook wants events in the shape of `/v2`. */
type Job = { id: string; orgId: string; webhook?: string | undefined; compatHook?: CompatHook | undefined };

type Event = {
  of: 'crawl' | 'batch_scrape';
  name: Name;
  at: Date;
  error?: string;
  /** Of `page`: the results whose documents are sent, each by itself. */
  part?: Omit<DeliveredPart, 'passed'>;
};

/** Whether the webhook of a job receives such events. */
export const receives = ({ webhook, compatHook }: Omit<Job, 'id' | 'orgId'>, name: Name): boolean =>
  webhook !== undefined && (compatHook?.events.includes(name) ?? false);

/** Sends an event in the shape of `/v2`, if the webhook of the job receives it. It is safe to run again. */
export async function emitCompat(fx: Needs, job: Job, event: Event): Promise<void> {
  const { id: subject, orgId, webhook, compatHook } = job;
  const { of, name, at, error, part } = event;
  if (webhook === undefined || !receives(job, name)) return;
  const [type, success] = [`${of}.${name}`, error === undefined];
  const identity = {
    ...{ type: COMPAT_TYPE + type, orgId, subject, at },
    ...(part && { name: `${part.batchId}#${part.index}#${part.token}` }),
  };
  const webhookId = eventIdOf(identity);
  const body = { success, type, id: subject, webhookId, data: [], metadata: compatHook?.metadata, error };
  const target = isEndpointId(webhook)
    ? { endpointId: webhook }
    : { endpointId: DEFAULT_ENDPOINT, url: webhook };
  await sendTo(fx, { ...identity, data: {}, body, ...(part && { part: { ...part, passed: 0 } }) }, target);
}
