import type { APIGatewayProxyEvent } from 'aws-lambda';
import { openRequestLog } from '../observe/request-log.ts';
import type { Call } from './call.ts';

/** Reads API Gateway's proxy event. It is `Partial` because hand-written events leave much out. */
export function toCall(event: Partial<APIGatewayProxyEvent>, requestId: string, endsAt: Date): Call {
  const { path = '' } = event;
  const sentPath = event.requestContext?.path ?? path;
  const bytes = () => Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
  const headers = Object.entries(event.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
  return {
    requestId,
    endsAt,
    requestLog: openRequestLog({ requestId, gatewayRequestId: event.requestContext?.requestId }),
    method: event.httpMethod ?? '',
    path: event.resource ?? '',
    sentPath,
    mount: sentPath.endsWith(path) ? sentPath.slice(0, sentPath.length - path.length) : '',
    params: event.pathParameters ?? {},
    query: event.multiValueQueryStringParameters ?? listed(event.queryStringParameters ?? {}),
    headers: Object.fromEntries(headers) as Call['headers'],
    body: event.isBase64Encoded ? bytes().toString() : (event.body ?? undefined),
    bytes,
  };
}

function listed(query: Readonly<Record<string, string | undefined>>): Call['query'] {
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [name, [value ?? '']]));
}
