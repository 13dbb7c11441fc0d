import { z } from 'zod';
import { errorCodes } from '../../errors.ts';
import { camelCased } from '../case.ts';
import { JobView } from '../jobs/job.ts';
import { Tag } from '../jobs/job-request.ts';
import { epochSeconds, isoDate } from '../time.ts';
import { StoredFields } from '../scrape/stored-schema.ts';
import { VerdictKind } from '../scrape/verdict.ts';
import { CompatHook } from '../webhooks/webhook.ts';

export const BatchId = z.uuid();

const Upload = camelCased(
  z.object({
    /** Of the stored requests, and which version of them is meant. */
    key: z.string(),
    version: z.string().optional(),
    /** Fields of all requests, as sent. */
    defaults: StoredFields,
    max_credits: z.int().optional(),
    /** Seconds, from its start. */
    complete_within: z.int().optional(),
    /** Bytes that are taken, no more and no fewer. Absent: any number. */
    content_length: z.int().optional(),
    /** The batch whose failed requests are the upload. */
    retry_of: z.uuid().optional(),
    /** Which of its requests. */
    retry_include: z.array(z.enum(['failed', 'wall', 'target_status'])).optional(),
    /** Slots of the organization when the batch was made. */
    slots: z.int().optional(),
    /** Lines of a chunk, if they were chosen when the batch was made. */
    chunk_lines: z.int().optional(),
    /** Known once it was read. */
    chunks: z.int().optional(),
    /** How far it was read: the next byte, line and chunk, and the requests and credits before. */
    read: z
      .object({ at: z.int(), line: z.int(), chunk: z.int(), requests: z.int(), credits: z.int() })
      .optional(),
  }),
);

/** A stored batch. Its requests are lines of a file; what became of them is counted beside it. */
export const Batch = camelCased(
  z.object({
    id: BatchId,
    org_id: z.string(),
    key_id: z.string(),
    /** The submitting request's id. */
    request_id: z.string(),
    /** Its requests are a wave of this crawl, through which alone it is seen. */
    crawl_id: z.uuid().optional(),
    /** `reading`: its requests are stored, and are being divided into chunks. */
    state: z.enum(['waiting_for_upload', 'reading', 'accepted']),
    /** Requests; 0 until an upload has been read. */
    total: z.int(),
    upload: Upload,
    /** Why its requests could not be run. */
    error: z.object({ code: z.enum(errorCodes), message: z.string() }).optional(),
    tags: z.array(Tag).optional(),
    /** Receives the event of its end: a URL, or the id of an endpoint. */
    webhook: z.string().optional(),
    compat_hook: CompatHook.optional(),
    created_at: isoDate,
    /** When its requests were complete. */
    started_at: isoDate.optional(),
    /** Its requests are settled by then in any case. */
    deadline_at: isoDate,
    cancelled_at: isoDate.optional(),
    /** When the last of its requests was settled. */
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
const resultsUrl = z.url().describe('The URL of its results.');

export const BatchCounts = z.object({
  total: count('Requests of the batch. 0 until an upload has been read.'),
  invalid: count('Lines of an upload that are not valid requests. 0 for requests sent inline.'),
  pending: count('Requests waiting for a slot or for another attempt.'),
  running: count('Requests in progress.'),
  completed: count('Requests that completed.'),
  failed: count('Requests that failed or were cancelled.'),
  charged: count('Requests that were charged.'),
  uncharged: count('Finished requests that were not charged.'),
  by_verdict: z
    .partialRecord(VerdictKind, z.int())
    .optional()
    .describe('Completed requests by `verdict`. Verdicts without requests are absent.'),
});
export type BatchCounts = z.infer<typeof BatchCounts>;

const BatchStatus = z.enum(['waiting_for_upload', 'running', 'completed', 'cancelled']);

/** A batch as its caller sees it. Absent fields are left out, never null. */
export const BatchView = z.object({
  batch_id: batchId,
  status: BatchStatus.describe(
    '`waiting_for_upload`: its requests have not been uploaded. `completed`: every request has ended. `cancelled`: no further request begins; those in progress may still end.',
  ),
  counts: BatchCounts,
  credits_used: z.int().describe('Credits charged for its requests so far.'),
  upload_url: z
    .string()
    .optional()
    .describe(
      'While waiting for the upload: accepts the lines by PUT, for up to an hour, and exactly `content_length` bytes if that was submitted. On a 403, get the batch again for a new URL.',
    ),
  error: z.string().optional().describe('Why an upload could not be run, in words.'),
  error_code: z.enum(errorCodes).optional().describe('The reason as a code, for programs.'),
  tags: z.array(z.string()).optional().describe('The tags as submitted.'),
  created_at: timeOf('the batch was submitted'),
  started_at: timeOf('its requests were complete: on submit, or when its upload was started').optional(),
  deadline_at: timeOf('unfinished requests fail'),
  cancelled_at: timeOf('the batch was cancelled').optional(),
  completed_at: timeOf('the last request ended').optional(),
  expires_at: timeOf('the batch is deleted'),
  results_url: resultsUrl,
});
export type BatchView = z.infer<typeof BatchView>;

export const BatchList = z.object({
  data: z.array(BatchView),
  next_cursor: z.string().optional().describe('Send it as `cursor` for older batches. Absent at the end.'),
});
export type BatchList = z.infer<typeof BatchList>;

/** A line of the results: what became of a request, its page if requested, and the cursor after it. */
export const BatchResult = JobView.omit({
  job_id: true,
  created_at: true,
  next_attempt_at: true,
  expires_at: true,
  last_error: true,
}).extend({
  batch_id: batchId,
  line: z
    .int()
    .describe('The number of the request, from 1: its place in `requests`, or its line in the upload.'),
  url: z.string().optional().describe('The URL as submitted, unless the line is `invalid`.'),
  custom_id: z.string().optional().describe('The `custom_id` of the request.'),
  invalid: z.literal(true).optional().describe('The line of an upload is not a valid request.'),
  cursor: z.string().describe('Send it as `cursor` to continue after this line.'),
  body: z.string().optional().describe('With `include=body`: the page, if the request completed.'),
  body_encoding: z
    .enum(['utf-8', 'base64'])
    .optional()
    .describe('How `body` is encoded: `utf-8` as plain text, `base64` if the page is not valid UTF-8.'),
});
export type BatchResult = z.infer<typeof BatchResult>;

/** The stored results of a batch. */
export const BatchParts = z.object({
  data: z.array(
    z.object({
      url: z
        .string()
        .optional()
        .describe(
          'Returns the lines with their pages to anyone for up to an hour, as gzip. On a 403, list again for a new link.',
        ),
      lines: z.int().describe('Lines in it.'),
      bytes: z.int().optional().describe('Its length when decompressed.'),
      first_line: z.int().optional().describe('Without `url`: the first line that did not run.'),
      error_code: z.enum(errorCodes).optional().describe('Without `url`: why these lines did not run.'),
    }),
  ),
  next_cursor: z
    .string()
    .optional()
    .describe('Send it as `cursor` for more. Absent once all have been returned.'),
});
export type BatchParts = z.infer<typeof BatchParts>;

export const BatchesQuery = z.strictObject({
  limit: z.int().min(1).max(100).default(50).describe('How many, up to 100. Absent: 50.'),
  cursor: z.string().max(200).optional().describe('The `next_cursor` of the previous page.'),
});
export type BatchesQuery = z.infer<typeof BatchesQuery>;

export const ResultsQuery = z.strictObject({
  cursor: z.string().max(8_000).optional().describe('The `cursor` of the last line that you have read.'),
  include: z.literal('body').optional().describe('`body`: each line of a completed request has its page.'),
});
export type ResultsQuery = z.infer<typeof ResultsQuery>;
