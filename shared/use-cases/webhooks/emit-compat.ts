import { COMPAT_TYPE } from '../../domain/webhooks/signature.ts';
import { type CompatHook, DEFAULT_ENDPOINT } from '../../contract/webhooks/webhook.ts';
import type { Effects } from '../../ports/effects.ts';
import { isEndpointId, sendTo } from './emit-event.ts';

type Needs = Pick<Effects, 'deliveries' | 'notifierQueue' | 'now'>;
type Name = CompatHook['events'][number];

/** A crawl or batch whose webhook wants events in the shape of `/v2`. */
type Job = { id: string; orgId: string; webhook?: string | undefined; compatHook?: CompatHook | undefined };

/** Sends an event in the shape of `/v2`, if the webhook of the job receives it. It is safe to run again. */
export async function emitCompat(
  fx: Needs,
  { id, orgId, webhook, compatHook: hook }: Job,
  { of, name, at, error }: { of: 'crawl' | 'batch_scrape'; name: Name; at: Date; error?: string },
): Promise<void> {
  if (webhook === undefined || !hook?.events.includes(name)) return;
  const type = `${of}.${name}`;
  const body = { success: error === undefined, type, id, data: [], metadata: hook.metadata, error };
  const target = isEndpointId(webhook)
    ? { endpointId: webhook }
    : { endpointId: DEFAULT_ENDPOINT, url: webhook };
  await sendTo(fx, { type: `${COMPAT_TYPE}${type}`, orgId, subject: id, at, data: {}, body }, target);
}
