import type { z } from 'zod';
import { type Json, schemaOf } from '../../contract/json-schema.ts';
import { exampleBatchId, exampleCrawlId, exampleJobId } from './examples.ts';
import { exampleDeliveryId, exampleWebhookId } from './webhook-examples.ts';

export function inHeader(described: Readonly<Record<string, Json>>): Json[] {
  return Object.entries(described).map(([name, more]) => ({ name, in: 'header', ...more }));
}

/** Parameters in the query string, from their schema. */
export function inQuery(type: z.ZodType): Json[] {
  const { properties, required = [] } = schemaOf(type) as {
    properties: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    description,
    // Without `default`: generated clients would send it, and the server applies it anyway.
    schema: { ...schema, default: undefined },
  }));
}

export function inPath(name: string, described: Json): Json {
  return { name, in: 'path', required: true, ...described };
}

export const jobId = inPath('job_id', {
  description: 'The `job_id` returned on submit.',
  schema: { type: 'string', format: 'uuid' },
  example: exampleJobId,
});

export const batchId = inPath('batch_id', {
  description: 'The `batch_id` returned on submit.',
  schema: { type: 'string', format: 'uuid' },
  example: exampleBatchId,
});

export const crawlId = inPath('crawl_id', {
  description: 'The `crawl_id` returned on submit.',
  schema: { type: 'string', format: 'uuid' },
  example: exampleCrawlId,
});

export const idempotencyKey = (made: 'job' | 'batch' | 'crawl'): Json => ({
  name: 'Idempotency-Key',
  in: 'header',
  description: `Makes a retry safe: for 24 hours, the same key with the same body returns the same ${made}.`,
  schema: { type: 'string', minLength: 1, maxLength: 255 },
  example: 'order-4711',
});

export const webhookId = inPath('webhook_id', {
  description: 'The `webhook_id` of an endpoint, or `default` for the endpoint of bare URLs.',
  schema: { type: 'string' },
  example: exampleWebhookId,
});

export const deliveryId = inPath('delivery_id', {
  description: 'The `delivery_id`, which is also the header `webhook-id`.',
  schema: { type: 'string', format: 'uuid' },
  example: exampleDeliveryId,
});
