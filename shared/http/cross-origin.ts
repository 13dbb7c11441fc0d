import { routes } from '../api/routes.ts';
import type { Call } from './call.ts';
import type { Reply } from './reply.ts';

/** Seconds for which a browser may reuse a preflight response. */
const MAX_AGE = 600;

/**
 * The response to a browser that asks whether a page of `webOrigin` may send a request. Undefined for all
 * other requests, pages and paths. https://fetch.spec.whatwg.org/#http-cors-protocol
 */
export function preflight(webOrigin: string | undefined, { method, path, headers }: Call): Reply | undefined {
  if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) return undefined;
  const here = routes.filter((route) => route.path === path && route.auth === 'key');
  if (here.length === 0 || !isAllowed(webOrigin, headers)) return undefined;
  const allowed = {
    'Access-Control-Allow-Methods': here.map((route) => route.method).join(', '),
    'Access-Control-Allow-Headers': 'Authorization, Content-Type',
    'Access-Control-Max-Age': String(MAX_AGE),
  };
  return { status: 204, headers: allowed, body: '' };
}

/** Lets pages of `webOrigin` read the response. It needs no `Vary`, because no cache stores it. */
export function readableBy(webOrigin: string | undefined, { headers }: Call, reply: Reply): Reply {
  if (webOrigin === undefined || !isAllowed(webOrigin, headers)) return reply;
  return {
    ...reply,
    headers: { ...reply.headers, ...readableHeaders(webOrigin, Object.keys(reply.headers)) },
  };
}

/** The headers by which pages of `webOrigin` may read a response and its headers of these names. */
export function readableHeaders(webOrigin: string, names: string[]): Readonly<Record<string, string>> {
  const exposed = names.filter((name) => !name.startsWith('Access-Control-'));
  return { 'Access-Control-Allow-Origin': webOrigin, 'Access-Control-Expose-Headers': exposed.join(', ') };
}

const isAllowed = (webOrigin: string | undefined, { origin }: Call['headers']) =>
  webOrigin !== undefined && origin === webOrigin;
