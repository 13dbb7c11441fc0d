import { z } from 'zod';
import { CompatHook } from '../contract/webhooks/webhook.ts';
import { type Mapped, refused } from './mapped.ts';

const Event = z.enum(['started', 'page', 'completed', 'failed']);

/** Who receives events: a URL, or an object with one. */
export const Webhook = z.union([
  z.string().min(1).max(8_192),
  z.strictObject({
    url: z.string().min(1).max(8_192),
    headers: z.record(z.string(), z.string()).optional(),
    metadata: z.record(z.string().max(100), z.string().max(1_000)).optional(),
    events: z.array(Event).optional(),
  }),
]);

/** The receiver of a crawl or batch, in this service's own words. Throws `invalid_request`. */
export function webhookOf(webhook: z.infer<typeof Webhook> | undefined): Mapped {
  if (webhook === undefined) return { fields: {}, warnings: [] };
  const { url, headers = {}, events } = typeof webhook === 'string' ? { url: webhook } : { ...webhook };
  if (Object.keys(headers).length > 0)
    throw refused('webhook.headers', 'webhook.headers is not supported here: deliveries are signed.');
  if (events?.includes('page'))
    throw refused(
      'webhook.events',
      'The event page is not supported here: started, completed and failed are.',
    );
  const warnings = events ? [] : ['The webhook receives no event page here.'];
  return { fields: { webhook: url }, warnings };
}

/** Which events it receives in the shape of `/v2`, and with what. Undefined without a webhook. */
export function hookOf(webhook: z.infer<typeof Webhook> | undefined): CompatHook | undefined {
  if (webhook === undefined) return undefined;
  const { events = CompatHook.shape.events.element.options, metadata = {} } =
    typeof webhook === 'string' ? {} : webhook;
  return { events: events.filter((event) => event !== 'page'), metadata };
}
