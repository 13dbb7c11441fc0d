import { z } from 'zod';
import { type Mapped, refused } from './mapped.ts';
import { scrapeFields, scrapeOptionShape, TargetText } from './scrape-options.ts';
import { Webhook, webhookOf } from './webhook-options.ts';

/** The body of `POST /v2/batch/scrape`. */
export const BatchBody = z.strictObject({
  urls: z.array(TargetText.or(z.string())).min(1),
  ignoreInvalidURLs: z.boolean().optional(),
  maxConcurrency: z.int().min(1).optional(),
  appendToId: z.string().optional(),
  webhook: Webhook.optional(),
  ...scrapeOptionShape,
});

/** The fields that all requests of a batch share, and of the batch. Throws `invalid_request`. */
export function batchFields(options: z.infer<typeof BatchBody>): Mapped & { defaults: Mapped['fields'] } {
  const { urls: _, ignoreInvalidURLs: _i, maxConcurrency, appendToId, webhook, ...each } = options;
  if (appendToId !== undefined)
    throw refused('appendToId', 'These options are not supported here: appendToId. Start another batch.');
  const { fields: defaults, warnings } = scrapeFields(each);
  return {
    defaults,
    fields: webhookOf(webhook),
    warnings: [
      ...warnings,
      ...(maxConcurrency === undefined
        ? []
        : ["maxConcurrency has no effect on a batch: the organization's limit counts."]),
    ],
  };
}
