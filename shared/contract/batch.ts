import { z } from 'zod';
import { camelCased } from './case.ts';
import { JobView } from './job.ts';
import { Tag } from './scrape-request.ts';
import { epochSeconds, isoDate } from './time.ts';

export const BatchId = z.uuid();

/** A batch as it is stored. Its requests are jobs, and what became of them is counted beside it. */
export const Batch = camelCased(
  z.object({
    id: BatchId,
    org_id: z.string(),
    key_id: z.string(),
    /** The submitting request's id. */
    request_id: z.string(),
    /**
     * `preparing`: its jobs are being created, and none runs. `abandoned`: the submit died, so they are being
     * deleted again.
     */
    state: z.enum(['preparing', 'accepted', 'abandoned']),
    total: z.int(),
    tags: z.array(Tag).optional(),
    /** Receives the event of its end: a URL, or the id of an endpoint. */
    webhook: z.string().optional(),
    created_at: isoDate,
    /** Its jobs are settled by then in any case. */
    deadline_at: isoDate,
    cancelled_at: isoDate.optional(),
    /** When the last of its jobs was settled. */
    completed_at: isoDate.optional(),
    /** When the sweeper looks at a batch that is not being worked on. */
    due_at: isoDate.optional(),
    /** Not visible from then on. */
    expires_at: epochSeconds,
  }),
);
export type Batch = z.infer<typeof Batch>;

const timeOf = (event: string) => z.iso.datetime().describe(`When ${event}, in UTC.`);
const count = (what: string) => z.int().describe(what);
const batchId = BatchId.describe('The batch id.');
const resultsUrl = z.string().describe('The path of its results.');

export const BatchCounts = z.object({
  total: count('Requests of the batch.'),
  invalid: count('Requests that could not be read. 0 for a batch whose requests were sent inline.'),
  pending: count('Jobs that wait for their turn or for another attempt.'),
  running: count('Jobs in progress.'),
  completed: count('Jobs that completed.'),
  failed: count('Jobs that failed or were cancelled.'),
});
export type BatchCounts = z.infer<typeof BatchCounts>;

const BatchStatus = z.enum(['running', 'completed', 'cancelled']);

/** A batch as its caller sees it. Absent fields are left out, never null. */
export const BatchView = z.object({
  batch_id: batchId,
  status: BatchStatus.describe(
    '`completed`: every job has ended. `cancelled`: no more jobs begin; those in progress may still end.',
  ),
  counts: BatchCounts,
  credits_used: z.int().describe('Credits charged for its jobs so far.'),
  tags: z.array(z.string()).optional().describe('The tags as submitted.'),
  created_at: timeOf('the batch was submitted'),
  deadline_at: timeOf('all of its jobs are settled at the latest'),
  cancelled_at: timeOf('the batch was cancelled').optional(),
  completed_at: timeOf('the last job ended').optional(),
  expires_at: timeOf('the batch is deleted'),
  results_url: resultsUrl,
});
export type BatchView = z.infer<typeof BatchView>;

export const BatchList = z.object({
  data: z.array(BatchView),
  next_cursor: z.string().optional().describe('Send it as `cursor` for older batches. Absent at the end.'),
});
export type BatchList = z.infer<typeof BatchList>;

/** A line of the results: the job, its body if that was asked for, and how to go on after it. */
export const BatchResult = JobView.extend({
  result_url: z.string().describe("The path of the job's result."),
  cursor: z.string().describe('Send it as `cursor` to go on after this line.'),
  body: z.string().optional().describe('With `include=body`: the page, if the job completed.'),
  body_encoding: z
    .enum(['utf-8', 'base64'])
    .optional()
    .describe('How `body` is to be read: text as it is, or base64 of bytes that are no text in UTF-8.'),
});
export type BatchResult = z.infer<typeof BatchResult>;

export const BatchesQuery = z.strictObject({
  limit: z.int().min(1).max(100).default(50).describe('How many, up to 100. Absent: 50.'),
  cursor: z.string().max(200).optional().describe('The `next_cursor` of the page before.'),
});
export type BatchesQuery = z.infer<typeof BatchesQuery>;

export const ResultsQuery = z.strictObject({
  cursor: z.string().max(300).optional().describe('The `cursor` of the last line that you have read.'),
  include: z.literal('body').optional().describe('`body`: each line of a completed job has its page.'),
});
export type ResultsQuery = z.infer<typeof ResultsQuery>;
