import { z } from 'zod';
import { TargetHeaders } from '../contract/scrape/target-headers.ts';
import { CompatHook } from '../contract/webhooks/webhook.ts';
import type { Mapped } from './mapped.ts';

const MAX_CHARACTERS = 8_192;

const Pairs = z.record(z.string().max(100), z.string().max(1_000));
const Metadata = Pairs.refine(isShort, { error: `longer than ${MAX_CHARACTERS} characters in all` });

/** What each delivery has of its own: see `signedHeaders`. Others would change how the body is read. */
const OWN = /^(content-.*|expect|user-agent|webhook-.*|x-firecrawl-signature)$/i;

const Headers = TargetHeaders.superRefine((headers, context) => {
  if (!isShort(headers))
    context.addIssue({ code: 'custom', message: `longer than ${MAX_CHARACTERS} characters in all` });
  for (const name of Object.keys(headers).filter((each) => OWN.test(each)))
    context.addIssue({ code: 'custom', path: [name], message: 'this header cannot be set' });
});

/** Who receives events: a URL, or an object with one. */
export const Webhook = z.union([
  z.string().min(1).max(8_192),
  z.strictObject({
    url: z.string().min(1).max(8_192),
    headers: Headers.optional(),
    metadata: Metadata.optional(),
    events: CompatHook.shape.events.optional(),
  }),
]);
type Webhook = z.infer<typeof Webhook>;

/** The receiver of a crawl or batch, in this service's own words. */
export function webhookOf(webhook: Webhook | undefined): Mapped['fields'] {
  if (webhook === undefined) return {};
  return { webhook: typeof webhook === 'string' ? webhook : webhook.url };
}

/** Which events it receives in the shape of `/v2`, and with what. Undefined without a webhook. */
export function hookOf(webhook: Webhook | undefined): CompatHook | undefined {
  if (webhook === undefined) return undefined;
  const {
    events = CompatHook.shape.events.element.options,
    metadata = {},
    headers,
  } = typeof webhook === 'string' ? {} : webhook;
  return { events: [...events], metadata, ...(headers && { headers }) };
}

function isShort(pairs: Readonly<Record<string, string>>): boolean {
  return Object.entries(pairs).flat().join('').length <= MAX_CHARACTERS;
}
