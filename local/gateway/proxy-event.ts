import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { ACCOUNT } from '../template/physical.ts';
import type { RouteMatch } from './match-route.ts';

const API_ID = 'local';
const STAGE = 'local';

/**
 * The event that a REST API's Lambda proxy integration makes of a request.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-lambda-proxy-integrations.html
 */
export function proxyEvent(
  request: IncomingMessage,
  { route, pathParameters }: RouteMatch,
  body: Buffer,
  requestId: string,
): APIGatewayProxyEvent {
  const { pathname, searchParams } = new URL(`http://gateway${request.url ?? '/'}`);
  const sourceIp = request.socket.remoteAddress ?? '127.0.0.1';
  const headers = [
    ...headerPairs(request.rawHeaders),
    ['X-Forwarded-For', sourceIp],
    ['X-Forwarded-Proto', 'http'],
    ['X-Forwarded-Port', String(request.socket.localPort)],
  ] as const;
  const method = request.method ?? 'GET';
  return {
    resource: route.path,
    path: pathname,
    httpMethod: method,
    headers: last(headers) ?? {},
    multiValueHeaders: all(headers) ?? {},
    queryStringParameters: last([...searchParams]),
    multiValueQueryStringParameters: all([...searchParams]),
    pathParameters: last(Object.entries(pathParameters)),
    stageVariables: null,
    requestContext: {
      ...requestContext(method, pathname, requestId),
      resourcePath: route.path,
      identity: identity(sourceIp, request.headers['user-agent']),
    },
    ...bodyOf(request, route, body),
  };
}

/** https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-payload-encodings-workflow.html */
function bodyOf({ headers }: IncomingMessage, { binaryTypes = [] }: RouteMatch['route'], body: Buffer) {
  const [type = ''] = (headers['content-type'] ?? '').toLowerCase().split(';');
  const isBase64Encoded = body.length > 0 && binaryTypes.includes(type.trim());
  const text = body.toString(isBase64Encoded ? 'base64' : 'utf8');
  return { body: body.length > 0 ? text : null, isBase64Encoded };
}

function requestContext(httpMethod: string, path: string, requestId: string) {
  return {
    accountId: ACCOUNT,
    apiId: API_ID,
    authorizer: null,
    protocol: 'HTTP/1.1',
    httpMethod,
    path,
    stage: STAGE,
    requestId,
    requestTimeEpoch: Date.now(),
    resourceId: 'local',
  };
}

function identity(sourceIp: string, userAgent: string | undefined) {
  return {
    sourceIp,
    userAgent: userAgent ?? null,
    accessKey: null,
    accountId: null,
    apiKey: null,
    apiKeyId: null,
    caller: null,
    clientCert: null,
    cognitoAuthenticationProvider: null,
    cognitoAuthenticationType: null,
    cognitoIdentityId: null,
    cognitoIdentityPoolId: null,
    principalOrgId: null,
    user: null,
    userArn: null,
  };
}

type Pairs = readonly (readonly [string, string])[];

function headerPairs(rawHeaders: readonly string[]): [string, string][] {
  return rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ''] as [string, string]] : [],
  );
}

const last = (pairs: Pairs) => (pairs.length > 0 ? Object.fromEntries(pairs) : null);

function all(pairs: Pairs): Record<string, string[]> | null {
  if (pairs.length === 0) return null;
  const values = Object.groupBy(pairs, ([name]) => name);
  return Object.fromEntries(
    Object.entries(values).map(([name, group = []]) => [name, group.map(([, value]) => value)]),
  );
}
