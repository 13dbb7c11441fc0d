import { z } from 'zod';
import { camelCased } from '../case.ts';
import { checkedBy } from '../conditions.ts';
import { isRepeatable } from '../scrape/target-request.ts';
import { retryOn, secondsFor, tags, webhookFor } from '../jobs/job-request.ts';
import { fields, withConditions } from '../scrape/scrape-request.ts';

export const MAX_BATCH_REQUESTS = 1_000;
export const MAX_UPLOAD_BYTES = 1_000_000_000;

/** The end of a sentence about a longer list. */
export const TOO_MANY_REQUESTS =
  'must not be longer than 1000 entries; upload more, up to 1,000,000, with "input": "upload"';

/** Results of a batch are whole. */
const itemFields = fields.omit({ max_chars: true, offset: true }).extend({
  tags,
  retry_on: retryOn,
  custom_id: z
    .string()
    .min(1)
    .max(128)
    .optional()
    .describe('Your own name for this request, returned with its result. It need not be unique.')
    .meta({ examples: ['product-4711'] }),
});

/** A request is run again if its worker dies, so it must be repeatable. */
const repeatable = {
  name: 'method' as const,
  error: 'only GET is allowed in a batch, because its requests may run twice',
  isMet: isRepeatable,
};

/** One request of a batch. */
export const BatchItem = camelCased(
  checkedBy<z.output<typeof itemFields>, typeof itemFields>(withConditions(itemFields), [repeatable]),
);
export type BatchItem = z.infer<typeof BatchItem>;

/** The fields that requests of a batch may share. */
export const { url: _url, custom_id: _customId, ...perRequest } = itemFields.shape;

const batchFields = {
  defaults: z
    .strictObject(perRequest)
    .partial()
    .optional()
    .describe('Fields for all requests that do not set them.')
    .meta({ examples: [{ render_js: true }] }),
  tags: tags.describe('Up to 10 labels for this batch and all of its requests.'),
  complete_within: secondsFor('all requests must finish', '86,400'),
  max_credits: z
    .int()
    .min(0)
    .max(100_000_000)
    .optional()
    .describe('Refuse the batch if it could cost more credits than this. Absent: no limit.'),
  webhook: webhookFor('when the last request of the batch has ended'),
};

/** The body that makes a batch. Whether a field goes with others is checked once defaults are filled in. */
export const BatchRequest = z.strictObject({
  ...batchFields,
  requests: z
    .array(z.strictObject(itemFields.shape))
    .min(1)
    .max(MAX_BATCH_REQUESTS, TOO_MANY_REQUESTS)
    .describe('1 to 1,000 requests, each with the fields of a scrape.'),
});

/** Requests to retry, by how they ended. */
export const RetryRequest = z.strictObject({
  include: z
    .array(z.enum(['failed', 'wall', 'target_status']))
    .min(1)
    .default(['failed'])
    .describe(
      '`failed`: requests that failed or were cancelled. `wall`: pages that were bot walls. `target_status`: pages that were not charged because of their status. Absent: `failed`.',
    )
    .meta({ examples: [['failed', 'wall']] }),
});
export type RetryRequest = z.infer<typeof RetryRequest>;

/** The body that makes a batch whose requests are uploaded. */
export const UploadRequest = z
  .strictObject({
    input: z.literal('upload').describe('The requests are uploaded as lines of JSON.'),
    content_length: z
      .int()
      .min(1)
      .max(MAX_UPLOAD_BYTES)
      .optional()
      .describe(
        'The size of the upload in bytes, if known: `upload_url` then accepts exactly that many. Absent: up to 1 GB.',
      )
      .meta({ examples: [52_428_800] }),
    ...batchFields,
  })
  .refine(({ defaults = {} }) => isRepeatable(defaults), {
    path: ['defaults', 'method'],
    error: repeatable.error,
  });
export type UploadRequest = z.infer<typeof UploadRequest>;
