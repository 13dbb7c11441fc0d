import { z } from 'zod';
import { errorCodes } from '../../errors.ts';
import { camelCased } from '../case.ts';
import { MAX_URL_LENGTH } from '../scrape/page.ts';
import { epochSeconds, isoDate } from '../time.ts';

/** What endpoints may choose to receive. */
export const EventType = z.enum([
  'job.completed',
  'job.failed',
  'batch.completed',
  'crawl.completed',
  'credits.low',
]);
export type EventType = z.infer<typeof EventType>;

/** The endpoint of every organization that stands for bare URLs. */
export const DEFAULT_ENDPOINT = 'default';

export const EndpointId = z.union([z.uuid(), z.literal(DEFAULT_ENDPOINT)]);

/** A signing secret, encrypted. A replaced secret signs until `until`. */
const sealedSecret = z.object({ sealed: z.string(), until: isoDate.optional() });
export type SealedSecret = z.infer<typeof sealedSecret>;

/** Who disabled an endpoint: its receiver with a 410, days of failures, or a caller. */
export const DisabledBy = z.enum(['gone', 'failures', 'caller']);

/** A stored endpoint. */
export const Endpoint = camelCased(
  z.object({
    id: EndpointId,
    org_id: z.string(),
    /** Absent for the default endpoint. */
    url: z.string().optional(),
    description: z.string().optional(),
    events: z.array(EventType),
    /** The newest first. */
    secrets: z.array(sealedSecret).min(1),
    disabled: z.object({ by: DisabledBy, at: isoDate }).optional(),
    /** When it was created or last enabled: failures count from then on. */
    enabled_at: isoDate,
    created_at: isoDate,
    /** Counts changes. */
    version: z.int(),
  }),
);
export type Endpoint = z.infer<typeof Endpoint>;

/** One attempt to deliver an event. Without `status` no response arrived. */
const attempt = z.object({
  at: isoDate,
  ms: z.int(),
  status: z.int().optional(),
  error: z.enum(errorCodes).optional(),
});
export type Attempt = z.infer<typeof attempt>;

/** Results of a batch or crawl whose documents are sent one by one: see `partKey`. */
const DeliveredPart = camelCased(
  z.object({
    batch_id: z.uuid(),
    index: z.int(),
    token: z.int(),
    /** Lines whose documents have been sent. */
    passed: z.int(),
  }),
);
export type DeliveredPart = z.infer<typeof DeliveredPart>;

const DeliveryStatus = z.enum(['pending', 'delivered', 'failed']);

/** A stored event on its way to an endpoint. */
export const Delivery = camelCased(
  z.object({
    /** The same for every endpoint and every attempt: the header `webhook-id`. */
    id: z.uuid(),
    org_id: z.string(),
    endpoint_id: EndpointId,
    /** Only of the default endpoint: the bare URL. */
    url: z.string().optional(),
    type: z.string(),
    /** What the event is about, such as a job's id. */
    subject: z.string().optional(),
    /** The exact bytes that are sent; with `part`, those around a document. */
    body: z.string(),
    part: DeliveredPart.optional(),
    status: DeliveryStatus,
    /** The last ones. */
    attempts: z.array(attempt),
    /** Attempts of the present schedule, which a redelivery restarts. */
    tries: z.int(),
    created_at: isoDate,
    /** When the sweep sends it if no message does. Absent once it has ended. */
    due_at: isoDate.optional(),
    /** When the next attempt may begin. Absent once it has ended. */
    next_attempt_at: isoDate.optional(),
    expires_at: epochSeconds,
    /** Counts changes. */
    version: z.int(),
  }),
);
export type Delivery = z.infer<typeof Delivery>;

/** Of a crawl or batch of `/v2`: which events its webhook receives in the shape of that, and with what. */
export const CompatHook = z.object({
  events: z.array(z.enum(['started', 'page', 'completed', 'failed'])),
  metadata: z.record(z.string(), z.string()),
  /** Sent with each event. They may be secrets: no response and no log has them. */
  headers: z.record(z.string(), z.string()).optional(),
});
export type CompatHook = z.infer<typeof CompatHook>;

const eventsField = z
  .array(EventType)
  .max(EventType.options.length)
  .transform((events) => [...new Set(events)]);
const url = z.string().min(1).max(MAX_URL_LENGTH);
const description = z.string().max(200);
const ofEvents =
  'Event types that it receives for all jobs and batches of the organization. If empty, it receives only events of jobs and batches that name it.';

export const NewWebhook = z.strictObject({
  url: url
    .describe('Where events are sent by POST: an https URL on a public host and port 443, 8443, 80 or 8080.')
    .meta({ format: 'uri', examples: ['https://example.com/hooks'] }),
  events: eventsField.optional().describe(`${ofEvents} Absent: all types.`),
  description: description.optional().describe('A note of up to 200 characters.'),
});
export type NewWebhook = z.output<typeof NewWebhook>;

export const WebhookChange = z.strictObject({
  url: url.optional().describe('A new URL.').meta({ format: 'uri' }),
  events: eventsField.optional().describe(ofEvents),
  description: description.optional().describe('A new note; empty for none.'),
  enabled: z.boolean().optional().describe('`false` stops deliveries, `true` resumes them.'),
});
export type WebhookChange = z.output<typeof WebhookChange>;

const time = (event: string) => z.iso.datetime().describe(`When ${event}, in UTC.`);
const webhookId = z.string().describe('The endpoint id, or `default` for the endpoint of bare URLs.');

/** An endpoint as its caller sees it. */
export const WebhookView = z.object({
  webhook_id: webhookId,
  url: z.string().optional().describe('Absent for `default`.'),
  description: z.string().optional(),
  events: z.array(EventType),
  enabled: z.boolean(),
  disabled_by: DisabledBy.optional().describe(
    '`gone`: the receiver returned 410. `failures`: only failures for 5 days. `caller`: an API call.',
  ),
  disabled_at: time('it was disabled').optional(),
  created_at: time('it was created'),
  old_secret_until: time('the replaced secret stops signing').optional(),
});
export type WebhookView = z.infer<typeof WebhookView>;

export const WebhookWithSecret = WebhookView.extend({
  secret: z.string().describe('Verifies signatures. Shown only in this response.'),
});
export type WebhookWithSecret = z.infer<typeof WebhookWithSecret>;

export const WebhookList = z.object({ data: z.array(WebhookView) });

export const DeliveryView = z.object({
  delivery_id: z.uuid().describe('Also the header `webhook-id` of every attempt.'),
  type: z.string().describe('The event type, or `webhook.test`.'),
  subject: z.string().optional().describe('What the event is about, such as the id of a job.'),
  url: z.string().optional().describe('The bare URL. Only for the endpoint `default`.'),
  status: DeliveryStatus,
  created_at: time('the event occurred'),
  next_attempt_at: time('the next attempt can begin').optional(),
  expires_at: time('this entry is deleted'),
  attempts: z.array(
    z.object({
      at: time('the attempt began'),
      ms: z.int().describe('How long it took.'),
      status: z.int().optional().describe('The status of the response.'),
      error: z.enum(errorCodes).optional().describe('Why there was no response, as a code.'),
    }),
  ),
});
export type DeliveryView = z.infer<typeof DeliveryView>;

export const DeliveryList = z.object({
  data: z.array(DeliveryView),
  next_cursor: z.string().optional().describe('Send it as `cursor` for older deliveries. Absent at the end.'),
});
export type DeliveryList = z.infer<typeof DeliveryList>;

export const DeliveriesQuery = camelCased(
  z.strictObject({
    limit: z.int().min(1).max(100).default(50).describe('How many, up to 100. Absent: 50.'),
    cursor: z.string().max(200).optional().describe('The `next_cursor` of the previous page.'),
  }),
);
export type DeliveriesQuery = z.infer<typeof DeliveriesQuery>;
