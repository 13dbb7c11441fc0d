import type { APIGatewayProxyEvent } from 'aws-lambda';
import { AppError } from '../errors.ts';
import { openTrail, type Trail } from '../observe/trail.ts';
import type { Session } from './authenticate.ts';
import type { Meter } from './meter.ts';
import { type AnyRoute, routes } from '../api/routes.ts';

/** One request, read once: what operations see of it. */
export type Call = {
  requestId: string;
  trail: Trail;
  method: string;
  /** The route's path as the list has it, with `{name}` for parameters. */
  path: string;
  /** The path as the caller sent it: on the default domain of API Gateway the stage precedes the route. */
  sentPath: string;
  /** What precedes the route in `sentPath`. */
  mount: string;
  params: Readonly<Record<string, string | undefined>>;
  /** Every value of every query parameter. */
  query: Readonly<Record<string, readonly string[] | undefined>>;
  /** By lower-case name. */
  headers: Readonly<Record<string, string | undefined>>;
  body: string | undefined;
  /** When the function that answers it has to end. */
  endsAt: Date;
  /** Who is calling, once known. */
  session?: Session;
  /** What it uses, on routes that need a key. */
  meter?: Meter;
};

/** A call on a route that needs a key: who is behind it is known, and what it uses is metered. */
export type AuthenticatedCall = Call & Required<Pick<Call, 'session' | 'meter'>>;

/** Reads API Gateway's proxy event. It is `Partial` because hand-written events leave much out. */
export function toCall(event: Partial<APIGatewayProxyEvent>, requestId: string, endsAt: Date): Call {
  const { path = '' } = event;
  const sentPath = event.requestContext?.path ?? path;
  const headers = Object.entries(event.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
  return {
    requestId,
    endsAt,
    trail: openTrail({ requestId, gatewayRequestId: event.requestContext?.requestId }),
    method: event.httpMethod ?? '',
    path: event.resource ?? '',
    sentPath,
    mount: sentPath.endsWith(path) ? sentPath.slice(0, sentPath.length - path.length) : '',
    params: event.pathParameters ?? {},
    query: event.multiValueQueryStringParameters ?? listed(event.queryStringParameters ?? {}),
    headers: Object.fromEntries(headers) as Call['headers'],
    body: event.isBase64Encoded
      ? Buffer.from(event.body ?? '', 'base64').toString()
      : (event.body ?? undefined),
  };
}

/** The route that answers a call. Throws `not_found`, or `method_not_allowed` with what is allowed. */
export function routeOf({ method, path }: Pick<Call, 'method' | 'path'>): AnyRoute {
  const here = routes.filter((route) => route.path === path);
  const route = here.find((candidate) => candidate.method === method);
  if (route !== undefined) return route;
  if (here.length === 0) throw new AppError('not_found');
  throw new AppError('method_not_allowed', {
    headers: { Allow: here.map((each) => each.method).join(', ') },
  });
}

function listed(query: Readonly<Record<string, string | undefined>>): Call['query'] {
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [name, [value ?? '']]));
}
