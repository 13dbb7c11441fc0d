type Row = {
  status: number;
  /** The `error` field: the reason phrase callers match on. */
  title: string;
  /** Whether the same request may succeed a little later. A job that fails with it is retried. */
  retryable: boolean;
  /** The `message` field, unless the thrower sets a better one. */
  message: string;
};

/** The rule for targets, for messages to callers. */
export const TARGET_RULE =
  'http or https, without user and password, on a public host and port 80, 443, 8080 or 8443';

/** Every error of the service. A new error is a new row; an unknown code does not compile. */
export const catalogue = {
  invalid_request: row(400, 'Bad Request', 'The request is not valid.'),
  url_not_allowed: row(
    400,
    'Bad Request',
    `This URL, or one it redirects to, may not be scraped. It must be ${TARGET_RULE}.`,
  ),
  model_not_configured: row(400, 'Bad Request', 'No model is configured here for extract_schema.'),
  unauthorized: row(401, 'Unauthorized', 'This API key is unknown, revoked or expired.'),
  insufficient_credits: row(402, 'Payment Required', 'Not enough credits are left this month.'),
  cost_cap_exceeded: row(402, 'Payment Required', 'This scrape could cost more than its max_credits.'),
  organization_suspended: row(403, 'Forbidden', 'This organization is suspended. Contact the operator.'),
  key_not_allowed: row(403, 'Forbidden', 'This API key may not do that.'),
  robots_required: row(403, 'Forbidden', 'This service does not allow `"robots": "ignore"`.'),
  not_found: row(404, 'Not Found', 'Nothing was found at this path.'),
  method_not_allowed: row(405, 'Method Not Allowed', 'This path does not support that method.'),
  job_not_finished: transient(409, 'Conflict', 'The job has not finished yet. Try again later.'),
  idempotency_in_flight: transient(
    409,
    'Conflict',
    'A request with this Idempotency-Key is still in progress. Try again later.',
  ),
  webhook_disabled: row(409, 'Conflict', 'The endpoint is disabled. Enable it first.'),
  too_many_webhooks: row(409, 'Conflict', 'The organization already has the maximum of 20 endpoints.'),
  job_finished: row(409, 'Conflict', 'The job has finished, so it cannot be cancelled.'),
  batch_finished: row(409, 'Conflict', 'The batch has finished, so it cannot be cancelled.'),
  batch_not_finished: transient(
    409,
    'Conflict',
    'Requests in this batch are still waiting or running. Try again when the batch has finished.',
  ),
  nothing_to_retry: row(
    409,
    'Conflict',
    'No request of this batch ended in a way that include selects (failed, if it is absent).',
  ),
  crawl_finished: row(409, 'Conflict', 'The crawl has finished, so it cannot be cancelled.'),
  crawl_not_finished: transient(409, 'Conflict', 'The crawl is still running. Try again later.'),
  upload_missing: row(409, 'Conflict', 'Nothing was uploaded. Send the requests to upload_url first.'),
  too_many_uploads: row(
    409,
    'Conflict',
    'Already 50 batches are waiting for their upload. Start or cancel some of them first.',
  ),
  precondition_failed: row(412, 'Precondition Failed', 'The result is not the version you requested.'),
  request_too_large: row(413, 'Payload Too Large', 'The request body is larger than 256 KiB.'),
  upload_too_large: row(413, 'Payload Too Large', 'The upload is larger than 1 GB.'),
  response_too_large: row(413, 'Payload Too Large', 'The page is larger than 50 MB.'),
  unsupported_media_type: row(415, 'Unsupported Media Type', 'Send the body as application/json in UTF-8.'),
  range_not_satisfiable: row(416, 'Range Not Satisfiable', 'The page ends before this range begins.'),
  idempotency_key_reused: row(422, 'Unprocessable Entity', 'This Idempotency-Key came with another body.'),
  not_convertible: row(
    422,
    'Unprocessable Entity',
    'This page cannot be converted to this format. Request it with format=html.',
  ),
  needs_ocr: row(422, 'Unprocessable Entity', 'The pages of this document are pictures without text.'),
  extraction_invalid: row(422, 'Unprocessable Entity', 'The model read no values that fit extract_schema.'),
  cancelled: row(422, 'Unprocessable Entity', 'The job was cancelled.'),
  scenario_failed: row(422, 'Unprocessable Entity', 'An instruction of the scenario failed.'),
  target_status: transient(
    422,
    'Unprocessable Entity',
    'The target responded with a status for which the job tries again.',
  ),
  deadline_exceeded: row(422, 'Unprocessable Entity', 'The job did not finish in time.'),
  host_unavailable: row(422, 'Unprocessable Entity', 'The host was still busy after five pauses.'),
  attempts_exhausted: row(422, 'Unprocessable Entity', 'The job failed on every attempt.'),
  rate_limited: transient(429, 'Rate limit exceeded', 'Too many requests. Try again later.'),
  too_many_concurrent: transient(
    429,
    'Rate limit exceeded',
    'Too many scrapes are in progress. Wait for one to finish.',
  ),
  internal: row(500, 'Internal Server Error', 'Something went wrong in the service.'),
  dns_failed: transient(502, 'Bad Gateway', 'The host name of the target could not be resolved.'),
  connect_failed: transient(502, 'Bad Gateway', 'The target could not be reached.'),
  tls_failed: row(502, 'Bad Gateway', 'No secure connection to the target could be established.'),
  proxy_failed: transient(502, 'Bad Gateway', 'The premium proxy failed.'),
  bad_upstream_response: transient(502, 'Bad Gateway', 'The target did not send a valid HTTP response.'),
  too_many_redirects: row(502, 'Bad Gateway', 'The target redirected more than 10 times.'),
  maybe_sent: row(
    502,
    'Bad Gateway',
    'The target may have received the request, so it was not sent again, and no response was kept.',
  ),
  browser_crashed: transient(502, 'Bad Gateway', 'The browser crashed on this page.'),
  model_failed: transient(502, 'Bad Gateway', 'The model that reads values from pages failed.'),
  premium_proxy_unavailable: row(
    503,
    'Service Unavailable',
    'No premium proxy is configured here. Send the request without premium_proxy.',
  ),
  busy: transient(503, 'Service Unavailable', 'The service is saturated. Try again shortly.'),
  timeout: transient(504, 'Gateway Timeout', 'The page did not arrive within the timeout.'),
} as const satisfies Record<string, Row>;

export type ErrorCode = keyof typeof catalogue;

export const errorCodes = Object.keys(catalogue) as [ErrorCode, ...ErrorCode[]];

export type Fault = { param?: string; message: string };

type Details = {
  message?: string;
  /** More fields of the error body, such as `param` or `credits_required`. */
  fields?: Readonly<Record<string, string | number>>;
  errors?: readonly Fault[];
  /** Seconds to wait before trying again: the `Retry-After` header. */
  retryAfter?: number;
  headers?: Readonly<Record<string, string>>;
  /** The error of a failed job. The request for its result worked, so it is 422. */
  isOfJob?: boolean;
  /** How far the instructions of a scenario came: the `scenario` of the error body. */
  report?: object | undefined;
  cause?: unknown;
};

/** The one error that crosses module boundaries: a row of the table, with details from the thrower. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly fields: Readonly<Record<string, string | number>>;
  readonly errors: readonly Fault[];
  readonly retryAfter: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly isOfJob: boolean;
  readonly report: object | undefined;

  constructor(code: ErrorCode, details: Details = {}) {
    const { message, fields, errors, retryAfter, headers, isOfJob, report, cause } = details;
    super(message ?? catalogue[code].message, { cause });
    this.name = 'AppError';
    this.code = code;
    this.fields = fields ?? {};
    this.errors = errors ?? [];
    this.retryAfter = retryAfter;
    this.headers = headers ?? {};
    this.isOfJob = isOfJob ?? false;
    this.report = report;
  }

  /** The same error with more headers. */
  with(headers: Readonly<Record<string, string>>): AppError {
    return new AppError(this.code, { ...detailsOf(this), headers: { ...this.headers, ...headers } });
  }

  /** The same error with another report, message and fields; the usual message if that is undefined. */
  telling(other: Pick<Details, 'report' | 'fields'> & { message: string | undefined }): AppError {
    const { message: _message, ...rest } = detailsOf(this);
    const { message, fields = this.fields, report } = other;
    return new AppError(this.code, { ...rest, fields, report, ...(message !== undefined && { message }) });
  }

  /** The same error with the report of a scenario, if it has steps and the error has none. */
  reporting(report: { steps: readonly unknown[] } | undefined): AppError {
    if (this.report || !report || report.steps.length === 0) return this;
    return new AppError(this.code, { ...detailsOf(this), report });
  }
}

function detailsOf(error: AppError): Details {
  const { message, fields, errors, headers, retryAfter, isOfJob, report, cause } = error;
  const details = { message, fields, errors, headers, isOfJob, report, cause };
  return { ...details, ...(retryAfter !== undefined && { retryAfter }) };
}

const BUSY_SECONDS = 2;

/** A service behind this one is saturated: the request is valid and may be sent again shortly. */
export function busy(cause?: unknown): AppError {
  return new AppError('busy', { retryAfter: BUSY_SECONDS, cause });
}

/** Anything thrown, as an AppError: itself if it is one, else `internal` with the original as cause. */
export function toAppError(thrown: unknown): AppError {
  return thrown instanceof AppError ? thrown : new AppError('internal', { cause: thrown });
}

function row(status: number, title: string, message: string): Row {
  return { status, title, message, retryable: false };
}

function transient(status: number, title: string, message: string): Row {
  return { status, title, message, retryable: true };
}
