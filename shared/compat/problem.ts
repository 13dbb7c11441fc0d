import { messageOf } from '../contract/error-body.ts';
import type { AppError, ErrorCode } from '../errors.ts';

/** The status and the `code` of an error in `/v2`. Never 502: clients send a POST again on that. */
const BAD_REQUEST = [400, 'BAD_REQUEST'] as const;
const CONFLICT = [409, 'CONFLICT'] as const;
const SITE_ERROR = [500, 'SCRAPE_SITE_ERROR'] as const;
const UNKNOWN = [500, 'UNKNOWN_ERROR'] as const;
const RATE_LIMIT = [429, 'RATE_LIMIT_EXCEEDED'] as const;

const ROWS: Readonly<Record<ErrorCode, readonly [status: number, code: string]>> = {
  invalid_request: BAD_REQUEST,
  url_not_allowed: BAD_REQUEST,
  model_not_configured: BAD_REQUEST,
  unauthorized: [401, 'UNAUTHORIZED'],
  insufficient_credits: [402, 'INSUFFICIENT_CREDITS'],
  cost_cap_exceeded: [402, 'INSUFFICIENT_CREDITS'],
  organization_suspended: [403, 'FORBIDDEN'],
  key_not_allowed: [403, 'FORBIDDEN'],
  robots_required: [403, 'CRAWL_DENIAL'],
  not_found: [404, 'NOT_FOUND'],
  method_not_allowed: [404, 'NOT_SUPPORTED'],
  job_not_finished: CONFLICT,
  idempotency_in_flight: CONFLICT,
  webhook_disabled: CONFLICT,
  too_many_webhooks: CONFLICT,
  job_finished: CONFLICT,
  batch_finished: CONFLICT,
  batch_not_finished: CONFLICT,
  nothing_to_retry: CONFLICT,
  crawl_finished: CONFLICT,
  crawl_not_finished: CONFLICT,
  upload_missing: CONFLICT,
  too_many_uploads: RATE_LIMIT,
  precondition_failed: BAD_REQUEST,
  request_too_large: [413, 'REQUEST_TOO_LARGE'],
  upload_too_large: [413, 'REQUEST_TOO_LARGE'],
  response_too_large: [413, 'RESPONSE_TOO_LARGE'],
  unsupported_media_type: BAD_REQUEST,
  range_not_satisfiable: BAD_REQUEST,
  idempotency_key_reused: CONFLICT,
  not_convertible: [500, 'SCRAPE_UNSUPPORTED_FILE_ERROR'],
  needs_ocr: [500, 'SCRAPE_UNSUPPORTED_FILE_ERROR'],
  extraction_invalid: [500, 'SCRAPE_JSON_EXTRACTION_ERROR'],
  cancelled: [500, 'SCRAPE_JOB_CANCELLED'],
  scenario_failed: [500, 'SCRAPE_ACTION_ERROR'],
  target_status: SITE_ERROR,
  deadline_exceeded: [408, 'SCRAPE_TIMEOUT'],
  host_unavailable: SITE_ERROR,
  attempts_exhausted: SITE_ERROR,
  rate_limited: RATE_LIMIT,
  too_many_concurrent: RATE_LIMIT,
  internal: UNKNOWN,
  dns_failed: [500, 'SCRAPE_DNS_RESOLUTION_ERROR'],
  connect_failed: SITE_ERROR,
  tls_failed: [500, 'SCRAPE_SSL_ERROR'],
  proxy_failed: [500, 'SCRAPE_PROXY_SELECTION_ERROR'],
  bad_upstream_response: SITE_ERROR,
  too_many_redirects: SITE_ERROR,
  maybe_sent: SITE_ERROR,
  browser_crashed: [500, 'SCRAPE_ALL_ENGINES_FAILED'],
  model_failed: [500, 'SCRAPE_JSON_EXTRACTION_ERROR'],
  premium_proxy_unavailable: [400, 'SCRAPE_PROXY_SELECTION_ERROR'],
  busy: [500, 'SCRAPE_RETRY_LIMIT'],
  timeout: [408, 'SCRAPE_TIMEOUT'],
};

/** The `code` of an error in `/v2`. */
export const compatCode = (code: ErrorCode): string => ROWS[code][1];

/** Names of fields in messages, as callers of `/v2` know them. */
const NAMES: Readonly<Record<string, string>> = {
  include_selectors: 'includeTags',
  exclude_selectors: 'excludeTags',
  extract_rules: 'formats',
  'extract_schema.properties.json': 'formats.json.schema',
  extract_schema: 'formats.json',
  extract_prompt: 'formats.json.prompt',
  screenshot: 'formats.screenshot',
  js_scenario: 'actions',
  country_code: 'location.country',
  max_age: 'maxAge',
  wait: 'waitFor',
  max_depth: 'maxDiscoveryDepth',
  concurrency: 'maxConcurrency',
  include: 'includePaths',
  exclude: 'excludePaths',
  change: 'formats.changeTracking',
  document: 'parsers',
};
const NAMED = new RegExp(
  `'(?:request\\.|defaults\\.|requests\\[\\d+\\]\\.)?(${Object.keys(NAMES)
    .join('|')
    .replaceAll('.', String.raw`\.`)})(?=['.[])`,
  'g',
);
const renamed = (text: string) => text.replace(NAMED, (_, name: string) => `'${NAMES[name]}`);

export type CompatProblem = { status: number; body: object };

/** An error as `/v2` reports it. A fault of this service says only that there was one. */
export function compatProblem(error: AppError): CompatProblem {
  const [status, usual] = ROWS[error.code];
  const isOfFile = error.code === 'unsupported_media_type' && error.fields['param'] === 'file';
  const code = isOfFile ? 'UNSUPPORTED_FILE_TYPE' : usual;
  const { retryAfter, errors } = error;
  const limit = status === 429 ? `Rate limit exceeded. ` : '';
  const later = status === 429 && retryAfter !== undefined ? ` Please retry after ${retryAfter}s.` : '';
  const details = {
    ...(errors.length > 0 && {
      errors: errors.map(({ param, message }) => ({ path: param, message: renamed(message) })),
    }),
    ...(retryAfter !== undefined && { retryAfterSeconds: retryAfter }),
  };
  return {
    status,
    body: {
      success: false,
      error: `${limit}${renamed(messageOf(error))}${later}`,
      code,
      ...(Object.keys(details).length > 0 && { details }),
    },
  };
}
