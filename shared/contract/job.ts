import { z } from 'zod';
import { errorCodes } from '../errors.ts';
import { camelCased } from './case.ts';
import { RenderState } from './page.ts';
import { StoredRequest } from './scrape-request.ts';
import { epochSeconds, isoDate } from './time.ts';

const JobStatus = z.enum(['pending', 'running', 'completed', 'failed']);

export const JobId = z.uuid();

const inAnyStatus = {
  id: JobId,
  org_id: z.string(),
  key_id: z.string(),
  /** The submitting request's id, which every log line about the job carries. */
  request_id: z.string(),
  request: StoredRequest,
  created_at: isoDate,
  /** The job is settled by then in any case. */
  deadline_at: isoDate,
  /** Number of attempts begun. */
  attempt: z.int(),
  /** Counts claims. Of two workers that believe they own the job, the one with the lower number is wrong. */
  fencing_token: z.int(),
};

const finished = {
  started_at: isoDate.optional(),
  completed_at: isoDate,
  /** Present until the job's slot is settled; the sweeper settles it if the worker could not. */
  due_at: isoDate.optional(),
  /** Not visible from then on, even if the table deletes the item later. */
  expires_at: epochSeconds,
};

/** A job as it is stored: a status has only the fields that it implies. */
export const Job = camelCased(
  z.discriminatedUnion('status', [
    z.object({
      ...inAnyStatus,
      status: z.literal('pending'),
      /** The worker that claimed the job owns it until then. */
      lease_until: isoDate.optional(),
      /** When the sweeper looks at the job if it is still pending. */
      due_at: isoDate,
    }),
    z.object({
      ...inAnyStatus,
      status: z.literal('running'),
      started_at: isoDate,
      lease_until: isoDate,
      due_at: isoDate,
    }),
    z.object({
      ...inAnyStatus,
      ...finished,
      status: z.literal('completed'),
      credits_used: z.int(),
      result_key: z.string(),
      /** Of the page before compression, hexadecimal. */
      sha256: z.string(),
      bytes: z.int(),
      /** The compressed page, if that is what the key holds. */
      gzip: z.object({ sha256: z.string(), bytes: z.int() }).optional(),
      content_type: z.string().optional(),
      target_status: z.int(),
      target_url: z.string(),
      target_redirects: z.int(),
      render_state: RenderState.optional(),
    }),
    z.object({
      ...inAnyStatus,
      ...finished,
      status: z.literal('failed'),
      error: z.string(),
      error_code: z.enum(errorCodes),
      /** More fields of the error body. Jobs of an earlier version have none. */
      error_fields: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
    }),
  ]),
);
export type Job = z.infer<typeof Job>;
export type PendingJob = Extract<Job, { status: 'pending' }>;
export type RunningJob = Extract<Job, { status: 'running' }>;
export type CompletedJob = Extract<Job, { status: 'completed' }>;
export type FailedJob = Extract<Job, { status: 'failed' }>;
export type OpenJob = PendingJob | RunningJob;
export type FinishedJob = CompletedJob | FailedJob;

const timeOf = (event: string) => z.iso.datetime().describe(`When ${event}, in UTC.`);
const jobId = z.uuid().describe('The job id, used to get its status and result.');
const createdAt = timeOf('the job was submitted');

export const SubmittedJob = z.object({
  job_id: jobId,
  status: z.literal('pending').describe('Always `pending` for a newly submitted job.'),
  created_at: createdAt,
  status_url: z.string().describe("The path of the job's status."),
  result_url: z.string().describe("The path of the job's result."),
});
export type SubmittedJob = z.infer<typeof SubmittedJob>;

/** A job as its caller sees it. Absent fields are left out, never null. */
export const JobView = z.object({
  job_id: jobId,
  status: JobStatus.describe('Only moves forward. `completed` and `failed` are final.'),
  url: z.string().describe('The URL as submitted.'),
  created_at: createdAt,
  started_at: timeOf('the first attempt began').optional(),
  completed_at: timeOf('the job completed or failed').optional(),
  expires_at: timeOf('status and result are deleted').optional(),
  attempts: z.int().describe('Number of attempts so far, at most 3.'),
  credits_used: z.int().describe('Credits charged. 0 until the job completes.'),
  target_status: z.int().optional().describe('The HTTP status that the target returned.'),
  target_url: z.string().optional().describe('The final URL, after redirects.'),
  error: z.string().optional().describe('Why the job failed, in words.'),
  error_code: z.enum(errorCodes).optional().describe('Why the job failed, as a code for programs.'),
});
export type JobView = z.infer<typeof JobView>;
