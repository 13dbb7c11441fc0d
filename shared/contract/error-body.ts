import { z } from 'zod';
import { type AppError, catalogue, errorCodes } from '../errors.ts';
import { ModeTried } from './scrape/mode.ts';
import { ScenarioReport } from './scrape/js-scenario.ts';
import { VerdictKind } from './scrape/verdict.ts';

const TARGET_REFUSALS = [
  'scheme',
  'userinfo',
  'host',
  'port',
  'private',
  'own',
  'redirect',
  'robots',
] as const;
export type TargetRefusal = (typeof TARGET_REFUSALS)[number];

/** Why a page has no such format: obstacles of `shared/output` and of pictures. */
const UNCONVERTIBLE = [
  'type',
  'time',
  'memory',
  'depth',
  'required',
  'rule',
  'selector',
  'size',
  'uncharged',
  'encrypted',
  'broken',
  'pages',
] as const;

const TIMEOUT_PHASES = ['dns', 'connect', 'tls', 'first_byte', 'body', 'render', 'model'] as const;
export type TimeoutPhase = (typeof TIMEOUT_PHASES)[number];

/** The body of every error. Fields are only ever added. */
export const ErrorBody = z.object({
  error: z.string().describe('The kind of error, in fixed words.'),
  message: z.string().describe('What went wrong and what to do about it.'),
  code: z.enum(errorCodes).describe('The error code, for programs.'),
  request_id: z.string().describe('Quote this when you ask for help.'),
  doc_url: z.url().describe('The page that explains this error.'),
  retryable: z
    .boolean()
    .describe('Whether the same request may succeed later; for a failed job, whether a new job may.'),
  param: z
    .string()
    .optional()
    .describe('The request field at fault, with its path: `headers`, `items[2].name`.'),
  errors: z
    .array(z.object({ param: z.string().optional(), message: z.string() }))
    .optional()
    .describe(
      'All problems with the request, if it has several. The first is also in `message` and `param`.',
    ),
  retry_after: z.int().optional().describe('Seconds to wait; the same as the Retry-After header.'),
  status: z.string().optional().describe('The state of the job.'),
  reason: z
    .enum([...TARGET_REFUSALS, ...UNCONVERTIBLE])
    .optional()
    .describe('Why the URL may not be scraped or, with `not_convertible`, why the page cannot be converted.'),
  phase: z.enum(TIMEOUT_PHASES).optional().describe('What the scrape was waiting for when it timed out.'),
  cause: z
    .enum(errorCodes)
    .optional()
    .describe('With `maybe_sent`: the error that came after the request was sent, if there was one.'),
  target_status: z
    .int()
    .optional()
    .describe('With `scenario_failed`: the HTTP status of the page on which it failed.'),
  target_url: z.string().optional().describe('The URL of that page.'),
  verdict: VerdictKind.optional().describe('What that page is: see `X-Page-Verdict`.'),
  verdict_by: z.string().optional().describe('The maker of a bot wall, if known.'),
  mode_tried: ModeTried.optional().describe('With `mode`: see `X-Mode-Tried`.'),
  scenario: ScenarioReport.optional().describe('How far the instructions of `js_scenario` got.'),
  limit: z.int().optional().describe('The limit that this request would have exceeded.'),
  credits_required: z.int().optional().describe('The most that this scrape may cost.'),
  max_credits: z.int().optional().describe('The most that the request allowed.'),
  credits_remaining: z.int().optional().describe('Credits left this month.'),
  resets_at: z.iso.datetime().optional().describe('When the next month of credits begins.'),
});
export type ErrorBody = z.infer<typeof ErrorBody>;

const FAILED_JOB = { status: 422, title: 'Unprocessable Entity' };

export function statusOf({ code, isOfJob }: AppError): { status: number; title: string } {
  return isOfJob ? FAILED_JOB : catalogue[code];
}

/** Where and for which request an error is reported. */
export type Reported = {
  requestId: string;
  /** The URL of the API, without a slash at its end. */
  apiUrl: string;
};

/** A 4xx explains itself; a 5xx of the service gives only the message in the table. */
export function messageOf(error: AppError): string {
  const { status } = statusOf(error);
  return status < 500 || status === 503 ? error.message : catalogue[error.code].message;
}

export function errorBodyOf(error: AppError, { requestId, apiUrl }: Reported): ErrorBody {
  const { title } = statusOf(error);
  const { retryable } = catalogue[error.code];
  return {
    error: title,
    message: messageOf(error),
    code: error.code,
    request_id: requestId,
    doc_url: `${apiUrl}/docs/errors/${error.code}`,
    retryable,
    ...(error.retryAfter === undefined ? {} : { retry_after: error.retryAfter }),
    ...error.fields,
    ...(error.report && { scenario: error.report as ScenarioReport }),
    ...(error.errors.length > 0 && { errors: [...error.errors] }),
  };
}
