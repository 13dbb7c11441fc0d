import { type GatewayResponseOptions, ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import { AppError, type ErrorCode } from '../../shared/errors.ts';
import { problem } from '../../shared/http/problem.ts';

type Row = readonly [ResponseType, ErrorCode, { message?: string; retryAfter?: number }?];

/** https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-execution-service-limits-table.html */
const LONG_URLS =
  'A long URL belongs in the body of a POST: request line and headers may have 10,240 bytes in all.';
const TOO_LARGE = `The request is larger than this service takes: a body may have 256 KiB. ${LONG_URLS}`;

/** Seconds: the firewall counts the requests of the last minute. */
const FIREWALL_WINDOW = 60;

/**
 * What API Gateway answers by itself, as an error of ours. A method or path that does not exist is "missing
 * authentication token" to it, or a bad signature when the caller sent an Authorization header.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html
 */
const errors = [
  [ResponseType.MISSING_AUTHENTICATION_TOKEN, 'not_found'],
  [ResponseType.INVALID_SIGNATURE, 'not_found'],
  [ResponseType.EXPIRED_TOKEN, 'not_found'],
  [ResponseType.ACCESS_DENIED, 'not_found'],
  [ResponseType.RESOURCE_NOT_FOUND, 'not_found'],
  [ResponseType.REQUEST_TOO_LARGE, 'request_too_large', { message: TOO_LARGE }],
  [ResponseType.UNSUPPORTED_MEDIA_TYPE, 'unsupported_media_type'],
  [ResponseType.THROTTLED, 'rate_limited', { retryAfter: 1 }],
  // What the firewall keeps out: nearly always the sender of too much, and an attack needs no better explanation.
  [ResponseType.WAF_FILTERED, 'rate_limited', { retryAfter: FIREWALL_WINDOW }],
  [ResponseType.QUOTA_EXCEEDED, 'rate_limited', { retryAfter: 1 }],
  [ResponseType.INTEGRATION_TIMEOUT, 'timeout'],
  [ResponseType.INTEGRATION_FAILURE, 'internal'],
  // What it says of a request line and headers that are too long is not documented, so this tells of them too.
  [ResponseType.DEFAULT_4XX, 'invalid_request', { message: `The request is not valid. ${LONG_URLS}` }],
  [ResponseType.DEFAULT_5XX, 'internal'],
] as const satisfies readonly Row[];

/** Gives API Gateway's own errors the shape that all errors have. */
export function addGatewayResponses(api: RestApi): void {
  for (const row of errors) api.addGatewayResponse(row[0].responseType, gatewayResponse(row));
}

function gatewayResponse([type, code, more]: Row): GatewayResponseOptions {
  const { status, headers, body } = problem(new AppError(code, more), '$context.requestId');
  const fixed = {
    ...headers,
    'X-Credits-Used': '0',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  };
  return {
    type,
    // Always given, as the body's code and the status must agree.
    statusCode: String(status),
    templates: { 'application/json': body },
    responseHeaders: {
      ...Object.fromEntries(Object.entries(fixed).map(([name, value]) => [name, `'${value}'`])),
      'X-Request-Id': 'context.requestId',
    },
  };
}
