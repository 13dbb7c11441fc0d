import { z } from 'zod';
import { errorCodes } from '../../errors.ts';
import { camelCased } from '../case.ts';
import { EndReason } from '../accounts/account.ts';
import { CacheState } from '../scrape/cache.ts';
import { storedBody } from '../scrape/cached-page.ts';
import { ScenarioCounts, ScenarioReport } from '../scrape/js-scenario.ts';
import { Kind, ModeTried } from '../scrape/mode.ts';
import { ContentShare } from '../scrape/scope.ts';
import { DocumentFacts, DocumentKind } from '../scrape/document.ts';
import { ModelTokens } from '../scrape/extraction.ts';
import { RenderState, RenderWaiting } from '../scrape/page.ts';
import { Tag } from './job-request.ts';
import { StoredRequest } from '../scrape/scrape-request.ts';
import { epochSeconds, isoDate } from '../time.ts';
import { PageVerdict, VerdictKind } from '../scrape/verdict.ts';

export const JobStatus = z.enum(['pending', 'running', 'completed', 'failed']);

export const JobId = z.uuid();

const inAnyStatus = {
  id: JobId,
  org_id: z.string(),
  key_id: z.string(),
  /** The submitting request's id, which every log line about the job carries. */
  request_id: z.string(),
  request: StoredRequest,
  tags: z.array(Tag).optional(),
  /** Statuses of the target for which another attempt is made. */
  retry_on: z.array(z.int()).optional(),
  /** A URL or the id of an endpoint, which receives the job's events. */
  webhook: z.string().optional(),
  created_at: isoDate,
  /** The job is settled by then in any case. */
  deadline_at: isoDate,
  /** Number of attempts begun. */
  attempt: z.int(),
  /** Counts owners. Of two workers that believe they own the job, the one with the lower number is wrong. */
  fencing_token: z.int(),
};

const unfinished = {
  /** How the last attempt failed. */
  last_error: z.object({ code: z.enum(errorCodes), message: z.string() }).optional(),
  /** Present while the job waits for its next attempt. */
  next_attempt_at: isoDate.optional(),
  /** Present while the job waits in its organization's backlog: no message is on its way. */
  is_waiting: z.literal(true).optional(),
  /** When the sweeper looks at the job if nothing else changes it, unless it has a slot. */
  due_at: isoDate,
};

/** The slot of the last attempt. While it is taken, the sweeper finds the job by it, not by `due_at`. */
const slot = z.string().optional();

const finished = {
  started_at: isoDate.optional(),
  completed_at: isoDate,
  slot,
  /** Present until the end of a job without a slot is recorded, by the sweeper if need be. */
  due_at: isoDate.optional(),
  /** Not visible from then on, even if the table deletes the item later. */
  expires_at: epochSeconds,
};

/** A stored job: a status has only the fields that it implies. */
export const Job = camelCased(
  z.discriminatedUnion('status', [
    z.object({
      ...inAnyStatus,
      ...unfinished,
      status: z.literal('pending'),
      /** No worker begins it before. */
      lease_until: isoDate.optional(),
      /** Taken for the first attempt when the job was submitted. */
      slot,
    }),
    z.object({
      ...inAnyStatus,
      ...unfinished,
      status: z.literal('running'),
      /** An attempt may have sent a request that must not be repeated. */
      maybe_sent: z.literal(true).optional(),
      started_at: isoDate,
      lease_until: isoDate,
      /** Absent while the job waits for its next attempt. */
      slot,
      /** The attempt's own name, by which a worker knows whether it or another one has begun in the slot. */
      owner: z.string().optional(),
    }),
    z.object({
      ...inAnyStatus,
      ...finished,
      status: z.literal('completed'),
      credits_used: z.int(),
      ...storedBody,
      content_type: z.string().optional(),
      target_status: z.int(),
      target_url: z.string(),
      target_redirects: z.int(),
      render_state: RenderState.optional(),
      render_waiting: RenderWaiting.optional(),
      content_truncated: z.literal(true).optional(),
      scenario: ScenarioCounts.optional(),
      verdict: PageVerdict.optional(),
      content: ContentShare.optional(),
      document: DocumentFacts.optional(),
      model_tokens: ModelTokens.optional(),
      extract_truncated: z.literal(true).optional(),
      rung: Kind.optional(),
      mode_tried: ModeTried.optional(),
      cache: CacheState.optional(),
      age: z.int().optional(),
    }),
    z.object({
      ...inAnyStatus,
      ...finished,
      status: z.literal('failed'),
      error: z.string(),
      error_code: z.enum(errorCodes),
      /** More fields of the error body. Jobs of an earlier version have none. */
      error_fields: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
      /** Shortened, without results of scripts. */
      scenario: ScenarioReport.optional(),
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
  status_url: z.url().describe("The URL of the job's status."),
  result_url: z.url().describe("The URL of the job's result."),
});
export type SubmittedJob = z.infer<typeof SubmittedJob>;

/** Fields of a failed job's error: the page on which its scenario failed, and what `mode` tried. */
export const WhereFailed = z
  .object({
    target_status: z.int(),
    target_url: z.string(),
    verdict: VerdictKind,
    verdict_by: z.string(),
    mode_tried: ModeTried,
  })
  .partial();

/** A job as its caller sees it. Absent fields are left out, never null. */
export const JobView = z.object({
  job_id: jobId,
  status: JobStatus.describe('Only moves forward. `completed` and `failed` are final.'),
  url: z.string().describe('The URL as submitted.'),
  tags: z.array(z.string()).optional().describe('The tags as submitted.'),
  created_at: createdAt,
  started_at: timeOf('the first attempt began').optional(),
  next_attempt_at: timeOf('the next attempt can begin, if one is due').optional(),
  completed_at: timeOf('the job completed or failed').optional(),
  expires_at: timeOf('status and result are deleted').optional(),
  attempts: z.int().describe('Number of attempts so far, at most 3.'),
  last_error: z
    .object({ code: z.enum(errorCodes), message: z.string() })
    .optional()
    .describe('How the last attempt failed, while another is due.'),
  credits_used: z.int().describe('Credits charged. 0 until the job completes.'),
  credits_reason: EndReason.optional().describe(
    'Why: see `X-Credits-Reason`. Absent until the job has finished.',
  ),
  verdict: VerdictKind.optional().describe('What the target returned: see `X-Page-Verdict`.'),
  verdict_by: z.string().optional().describe('The maker of a bot wall, if known.'),
  mode_tried: ModeTried.optional().describe('With `mode`: see `X-Mode-Tried`.'),
  cache: CacheState.optional().describe('With `max_age` or `revalidate`: see `X-Cache`.'),
  age: z.int().optional().describe('See `Age`, when the job ran.'),
  target_status: z.int().optional().describe('The HTTP status that the target returned.'),
  target_url: z.string().optional().describe('The final URL, after redirects.'),
  content_type: z.string().optional().describe('The type of the result.'),
  bytes: z.int().optional().describe('The length of the result.'),
  document_type: DocumentKind.optional().describe('Of a document: see `X-Document-Type`.'),
  document_pages: z.int().optional().describe('Of a document: see `X-Document-Pages`.'),
  model_tokens: ModelTokens.optional().describe('With `extract_schema`: see `X-Model-Tokens`.'),
  extract_truncated: z.literal(true).optional().describe('See `X-Extract-Truncated`.'),
  render_state: RenderState.optional().describe('With `render_js`: `partial` if a wait ran out.'),
  render_waiting: RenderWaiting.optional().describe('What it ran out for: see `X-Render-Waiting`.'),
  content_truncated: z.literal(true).optional().describe('The page was cut off: see `X-Content-Truncated`.'),
  error: z.string().optional().describe('Why the job failed, in words.'),
  error_code: z.enum(errorCodes).optional().describe('Why the job failed, as a code for programs.'),
});
export type JobView = z.infer<typeof JobView>;
