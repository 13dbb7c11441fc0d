import type { z } from 'zod';
import { errorBodyOf } from '../../contract/error-body.ts';
import type { JobView, SubmittedJob } from '../../contract/jobs/job.ts';
import type { JobList } from '../../contract/jobs/job-list.ts';
import type { JobRequest } from '../../contract/jobs/job-request.ts';
import type { ScrapeRequest } from '../../contract/scrape/scrape-request.ts';
import { AppError, type ErrorCode } from '../../errors.ts';

type Example<T> = { summary: string; value: T };

const JOB_ID = '019e2f3a-5b60-7c1d-9f2e-3a4b5c6d7e8f';
/** Of the committed document; the served one names its own. */
export const EXAMPLE_API_URL = 'https://api.example.com';
const STATUS_URL = `${EXAMPLE_API_URL}/api/v1/scraper/jobs/${JOB_ID}`;
const REQUEST_ID = '019e2f3a-5b61-7d2e-8a3f-4b5c6d7e8f90';
const URL = 'https://example.com/';

export const exampleJobId = JOB_ID;
export const exampleCrawlId = '019e2f3a-5b60-7b4c-9d5e-6f7a8b9c0d1e';
export const exampleBatchId = '019e2f3a-5b60-7a3b-8c4d-5e6f7a8b9c0d';

export const requests = {
  plain: { summary: "The target's bytes, unchanged", value: { url: URL } },
  rendered: {
    summary: 'The DOM, once an element matches',
    value: { url: URL, render_js: true, wait_for: '#content', timeout: 30_000 },
  },
  premium: {
    summary: 'Through the premium proxy, from one country, as one visitor',
    value: { url: URL, premium_proxy: true, country_code: 'DE', session_id: 'basket-1' },
  },
  personal: {
    summary: 'With headers and cookies',
    value: { url: URL, headers: { 'Accept-Language': 'de' }, cookies: { theme: 'dark' } },
  },
  schema: {
    summary: 'Values by a schema, which a model reads',
    value: {
      url: URL,
      format: 'extract',
      extract_schema: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
    },
  },
  form: {
    summary: 'A form, sent by POST',
    value: {
      url: 'https://example.com/search',
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'q=shoes&page=2',
    },
  },
} satisfies Record<string, Example<z.input<typeof ScrapeRequest>>>;

export const jobRequests = {
  ...requests,
  tagged: {
    summary: 'With tags, and an hour to finish',
    value: { url: URL, tags: ['nightly', 'shop:42'], complete_within: 3_600, max_credits: 5 },
  },
  patient: {
    summary: 'With more attempts while the target is busy',
    value: { url: URL, retry_on: [429, 500, 502, 503, 504] },
  },
} satisfies Record<string, Example<z.input<typeof JobRequest>>>;

export const submitted = {
  accepted: {
    summary: 'Poll `status_url`',
    value: {
      job_id: JOB_ID,
      status: 'pending',
      created_at: '2026-11-21T06:59:58.000Z',
      status_url: STATUS_URL,
      result_url: `${STATUS_URL}/result`,
    },
  },
} satisfies Record<string, Example<SubmittedJob>>;

const accepted = { job_id: JOB_ID, url: URL, created_at: '2026-11-21T06:59:58.000Z' };
const started = { ...accepted, started_at: '2026-11-21T06:59:58.200Z', attempts: 1 };
const ended = {
  ...started,
  completed_at: '2026-11-21T07:00:00.000Z',
  expires_at: '2026-12-21T07:00:00.000Z',
};

export const jobs = {
  pending: {
    summary: 'Not started yet',
    value: { ...accepted, status: 'pending', attempts: 0, credits_used: 0 },
  },
  running: { summary: 'In progress', value: { ...started, status: 'running', credits_used: 0 } },
  completed: {
    summary: 'The page is ready',
    value: { ...ended, status: 'completed', credits_used: 5, target_status: 200, target_url: URL },
  },
  failed: {
    summary: 'Failed, and not charged',
    value: {
      ...ended,
      attempts: 3,
      status: 'failed',
      credits_used: 0,
      error: 'The host name of the target could not be resolved.',
      error_code: 'dns_failed',
    },
  },
} satisfies Record<string, Example<JobView>>;

export const jobList = {
  page: {
    summary: 'The newest jobs',
    value: { data: [jobs.completed.value, jobs.failed.value], next_cursor: 'MDE5ZTJmM2E' },
  },
} satisfies Record<string, Example<JobList>>;

/** Details that the code which throws the error adds. */
const details: Partial<Record<ErrorCode, ConstructorParameters<typeof AppError>[1]>> = {
  invalid_request: {
    message: "Unknown field 'render'. Did you mean 'render_js'?",
    fields: { param: 'render' },
  },
  url_not_allowed: {
    message:
      '"http://127.0.0.1/" may not be scraped: its host is, or resolves to, an address that is not public.',
    fields: { param: 'url', reason: 'private' },
  },
  insufficient_credits: {
    message: 'This scrape may cost 25 credits, and 7 are left until 2026-12-01T00:00:00.000Z.',
    fields: { credits_required: 25, credits_remaining: 7, resets_at: '2026-12-01T00:00:00.000Z' },
  },
  rate_limited: {
    message: 'The limit is 60 scrapes and submits a minute. Try again in 1 second.',
    retryAfter: 1,
    fields: { limit: 60 },
  },
  too_many_concurrent: {
    message: 'The limit is 10 scrapes in progress. Try again in 5 seconds.',
    retryAfter: 5,
    fields: { limit: 10 },
  },
  timeout: { fields: { phase: 'first_byte' } },
  busy: { retryAfter: 1 },
  job_not_finished: { retryAfter: 5, fields: { status: 'running' } },
  idempotency_in_flight: { retryAfter: 30 },
};

/** The error of a request, or of a failed job whose result is requested. */
export function errorExample(code: ErrorCode, isOfJob = false): Example<unknown> {
  const more = isOfJob ? { isOfJob, fields: { status: 'failed' } } : details[code];
  const error = new AppError(code, more);
  return {
    summary: error.message,
    value: errorBodyOf(error, { requestId: REQUEST_ID, apiUrl: EXAMPLE_API_URL }),
  };
}
