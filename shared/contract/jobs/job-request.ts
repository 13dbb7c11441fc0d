import { z } from 'zod';
import { camelCased } from '../case.ts';
import { checkedBy } from '../conditions.ts';
import { MAX_URL_LENGTH } from '../scrape/page.ts';
import { fields, withConditions } from '../scrape/scrape-request.ts';
import { isRepeatable } from '../scrape/target-request.ts';

/** A caller's own label on a job. */
export const Tag = z.string().regex(/^[\w.:-]{1,64}$/, 'expected 1 to 64 letters, digits, _ . : and -');

/** Labels of a job or a batch. */
export const tags = z
  .array(Tag)
  .max(10)
  .optional()
  .describe('Up to 10 labels for lists of jobs.')
  .meta({ examples: [['nightly', 'shop:42']] });

/** Who receives the event of an end. */
export const webhookFor = (event: string) =>
  z
    .string()
    .min(1)
    .max(MAX_URL_LENGTH)
    .optional()
    .describe(
      `Receives an event ${event}: an https URL, or the id of an endpoint. Other endpoints receive theirs too.`,
    )
    .meta({ examples: ['https://example.com/hooks'] });

/** How long a job or a batch may take in all. */
export const secondsFor = (end: string, absent: string, most = 86_400) =>
  z
    .int()
    .min(60)
    .max(most)
    .optional()
    .describe(`Seconds in which ${end}, from 60 to ${most.toLocaleString('en')}. Absent: ${absent}.`);

/** An answer, which is charged. */
const FINAL: readonly number[] = [404, 410];

export const retryOn = z
  .array(
    z
      .int()
      .min(400)
      .max(599)
      .refine((status) => !FINAL.includes(status), 'expected no 404 or 410, which are charged'),
  )
  .min(1)
  .max(20)
  .optional()
  .describe(
    'Up to 20 target statuses, from 400 to 599 but not 404 and 410, for which the job or the request of a batch is retried: up to 3 attempts, after the time in `Retry-After`, if that is within the time of the job or batch. The page of the last attempt is the result. Only with the method GET. Absent: none.',
  )
  .meta({ examples: [[429, 500, 502, 503, 504]] });

/** Fields that only jobs have. */
const jobFields = fields.extend({
  tags,
  retry_on: retryOn,
  complete_within: secondsFor('the job must finish', '900'),
  webhook: webhookFor('when the job completes or fails'),
});

/** The body of a submit. */
export const JobRequest = camelCased(
  checkedBy<z.output<typeof jobFields>, typeof jobFields>(withConditions(jobFields), [
    {
      name: 'retry_on',
      error: 'only allowed with the method GET',
      isMet: (request) => request.retry_on === undefined || isRepeatable(request),
    },
  ]),
);
export type JobRequest = z.infer<typeof JobRequest>;

/** Fields that only a job takes. */
export const fieldsOfJobs = Object.keys(jobFields.shape).filter((name) => !(name in fields.shape));
