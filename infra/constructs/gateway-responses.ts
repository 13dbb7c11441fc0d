import { type GatewayResponseOptions, ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import { AppError, catalogue } from '../../shared/errors.ts';
import { readableHeaders } from '../../shared/http/cross-origin.ts';
import { problem } from '../../shared/http/problem.ts';
import { faultPage, type GatewayCode } from './gateway-page.ts';

type Row = readonly [ResponseType, GatewayCode, { message?: string; retryAfter?: number }?];

/** https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-execution-service-limits-table.html */
const LONG_URLS =
  'Send long URLs in the body of a POST: request line and headers are limited to 10,240 bytes in total.';
const TOO_LARGE = `The request is too large: a body is limited to 256 KiB. ${LONG_URLS}`;

/** Seconds, as the firewall counts the requests of the last minute. */
const FIREWALL_WINDOW = 60;

/**
 * The service's error for each error of API Gateway itself. The gateway reports an unknown path as a missing
 * authentication token, or as a bad signature if there is an Authorization header.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html
 */
const errors: readonly Row[] = [
  [ResponseType.MISSING_AUTHENTICATION_TOKEN, 'not_found'],
  [ResponseType.INVALID_SIGNATURE, 'not_found'],
  [ResponseType.EXPIRED_TOKEN, 'not_found'],
  [ResponseType.ACCESS_DENIED, 'not_found'],
  [ResponseType.RESOURCE_NOT_FOUND, 'not_found'],
  [ResponseType.REQUEST_TOO_LARGE, 'request_too_large', { message: TOO_LARGE }],
  [ResponseType.UNSUPPORTED_MEDIA_TYPE, 'unsupported_media_type'],
  [ResponseType.THROTTLED, 'rate_limited', { retryAfter: 1 }],
  // Nearly always a rate limit of the firewall.
  [ResponseType.WAF_FILTERED, 'rate_limited', { retryAfter: FIREWALL_WINDOW }],
  [ResponseType.QUOTA_EXCEEDED, 'rate_limited', { retryAfter: 1 }],
  [ResponseType.INTEGRATION_TIMEOUT, 'timeout'],
  [ResponseType.INTEGRATION_FAILURE, 'internal'],
  // Which type a too long request line has is not documented, so this message mentions it too.
  [ResponseType.DEFAULT_4XX, 'invalid_request', { message: `The request is not valid. ${LONG_URLS}` }],
  [ResponseType.DEFAULT_5XX, 'internal'],
];

type Shown = { headers: Readonly<Record<string, string>>; body: string };

/**
 * Gives API Gateway's own errors the format of the API's. Pages of `webOrigin` may read them, like
 * errors of the functions.
 */
export function addGatewayErrors(api: RestApi, apiUrl: string, webOrigin?: string): void {
  addResponses(api, ([, code, more]) => {
    const { headers, body } = problem(new AppError(code, more), { requestId: '$context.requestId', apiUrl });
    const own = { ...headers, 'X-Credits-Used': '0' };
    const readable =
      webOrigin && readableHeaders(webOrigin, [...Object.keys({ ...own, ...FIXED }), REQUEST_ID]);
    return { headers: { ...own, ...readable }, body };
  });
}

const REQUEST_ID = 'X-Request-Id';
const FIXED = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };

/** Gives them as pages, for people. `mount` precedes the paths of routes in URLs. */
export function addGatewayPages(api: RestApi, mount: string): void {
  addResponses(api, ([, code, more]) => faultPage(code, { mount, retryAfter: more?.retryAfter }));
}

function addResponses(api: RestApi, show: (row: Row) => Shown): void {
  for (const row of errors) api.addGatewayResponse(row[0].responseType, gatewayResponse(row, show(row)));
}

function gatewayResponse([type, code]: Row, { headers, body }: Shown): GatewayResponseOptions {
  const fixed = { ...headers, ...FIXED };
  return {
    type,
    // Always set, so that it agrees with the body.
    statusCode: String(catalogue[code].status),
    // The template of every response, whatever the client accepts. The header says what it is.
    templates: { 'application/json': body },
    responseHeaders: {
      ...Object.fromEntries(Object.entries(fixed).map(([name, value]) => [name, `'${value}'`])),
      [REQUEST_ID]: 'context.requestId',
    },
  };
}
