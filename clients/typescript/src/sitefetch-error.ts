import type { ErrorBody } from './types.ts';

/** Errors that the client itself finds: no response, or another program's. */
type ClientCode =
  | 'connection_failed'
  | 'connection_lost'
  | 'client_timeout'
  | 'unexpected_response'
  | 'crawl_failed'
  | 'invalid_signature';

/** What a program decides by: a code of the service, listed in docs/errors.md, or of the client. */
export type SitefetchErrorCode = ErrorBody['code'] | ClientCode;

type About = {
  status?: number | undefined;
  /** Whether the same request may succeed later. */
  retryable: boolean;
  requestId?: string | undefined;
  docUrl?: string | undefined;
  retryAfterSeconds?: number | undefined;
  /** The whole body of the service's error, such as `param`, `errors` and `credits_remaining`. */
  details?: ErrorBody | undefined;
  cause?: unknown;
};

/** The only error that the client throws, unless the caller's own `signal` aborts: then its reason. */
export class SitefetchError extends Error {
  override readonly name = 'SitefetchError';
  readonly code: SitefetchErrorCode;
  readonly status: number | undefined;
  readonly retryable: boolean;
  readonly requestId: string | undefined;
  readonly docUrl: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly details: ErrorBody | undefined;

  constructor(code: SitefetchErrorCode, message: string, about: About) {
    super(message, about.cause === undefined ? undefined : { cause: about.cause });
    this.code = code;
    this.status = about.status;
    this.retryable = about.retryable;
    this.requestId = about.requestId;
    this.docUrl = about.docUrl;
    this.retryAfterSeconds = about.retryAfterSeconds;
    this.details = about.details;
  }
}

/** The error of a response, 2xx, that is not what the API describes. */
export function unexpected(
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  message: string,
  cause: unknown,
): SitefetchError {
  const requestId = headers.get('X-Request-Id') ?? undefined;
  return new SitefetchError('unexpected_response', message, { status, requestId, retryable: false, cause });
}

/** The error of a response that is not 2xx. */
export function errorOf({ status, headers }: Response, text: string): SitefetchError {
  const body = parsed(text);
  const requestId = headers.get('X-Request-Id') ?? undefined;
  const header = Number.parseInt(headers.get('Retry-After') ?? '', 10);
  const retryAfterSeconds = Number.isNaN(header) ? undefined : header;
  if (!isErrorBody(body))
    return new SitefetchError('unexpected_response', `HTTP ${status}, which is not of the service.`, {
      ...{ status, requestId, retryAfterSeconds },
      retryable: status >= SERVER_ERROR || status === TOO_MANY,
    });
  return new SitefetchError(body.code, body.message, {
    status,
    requestId: requestId ?? body.request_id,
    retryable: body.retryable,
    docUrl: body.doc_url,
    retryAfterSeconds: body.retry_after ?? retryAfterSeconds,
    details: body,
  });
}

const SERVER_ERROR = 500;
const TOO_MANY = 429;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isErrorBody(body: unknown): body is ErrorBody {
  return typeof body === 'object' && body !== null && 'code' in body && 'request_id' in body;
}
