import { type GatewayResponseOptions, ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import { AppError, type ErrorCode } from '../../shared/errors.ts';
import { problem } from '../../shared/http/problem.ts';

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
  [ResponseType.REQUEST_TOO_LARGE, 'request_too_large'],
  [ResponseType.UNSUPPORTED_MEDIA_TYPE, 'unsupported_media_type'],
  [ResponseType.THROTTLED, 'rate_limited'],
  // What the firewall keeps out: nearly always the sender of too much, and an attack needs no better explanation.
  [ResponseType.WAF_FILTERED, 'rate_limited'],
  [ResponseType.QUOTA_EXCEEDED, 'rate_limited'],
  [ResponseType.INTEGRATION_TIMEOUT, 'timeout'],
  [ResponseType.INTEGRATION_FAILURE, 'internal'],
  [ResponseType.DEFAULT_4XX, 'invalid_request'],
  [ResponseType.DEFAULT_5XX, 'internal'],
] as const satisfies readonly (readonly [ResponseType, ErrorCode])[];

/** Seconds: the fuse's bucket fills again within one. */
const THROTTLED_RETRY_AFTER = 1;

/** Gives API Gateway's own errors the shape that all errors have. */
export function addGatewayResponses(api: RestApi): void {
  for (const [type, code] of errors) {
    api.addGatewayResponse(type.responseType, gatewayResponse(type, code));
  }
}

function gatewayResponse(type: ResponseType, code: ErrorCode): GatewayResponseOptions {
  const retry = code === 'rate_limited' ? { retryAfter: THROTTLED_RETRY_AFTER } : {};
  const { status, headers, body } = problem(new AppError(code, retry), '$context.requestId');
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
