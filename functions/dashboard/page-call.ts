import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { Organization } from '../../shared/contract/accounts/account.ts';
import type { Person } from '../../shared/contract/people/person.ts';
import { AppError } from '../../shared/errors.ts';
import type { Call } from '../../shared/http/call.ts';
import { toCall } from '../../shared/http/to-call.ts';

/** One request of a browser, as pages see it. */
export type PageCall = Pick<
  Call,
  'requestId' | 'requestLog' | 'method' | 'path' | 'params' | 'query' | 'headers'
> & {
  /** The link to a path: on API Gateway's own domain, the stage precedes it. */
  at: (path: string) => string;
  form: URLSearchParams;
  cookies: ReadonlyMap<string, string>;
  /** The network address of the browser. */
  address: string;
  /** Whether the page came over plain HTTP on this machine, where browsers keep no `__Host-` cookie. */
  isLocal: boolean;
  /** Who is signed in, once known. */
  person?: Person;
  /** That person's organization, read once for each request. */
  organization?: Organization;
  /** The documentation of the API. */
  docsUrl?: string;
};

/** A request on a page that needs a session. */
export type MemberCall = PageCall & Required<Pick<PageCall, 'person'>>;

/** The member's organization. Throws `not_found` if it has been deleted. */
export function organizationOf({ organization }: MemberCall): Organization {
  if (organization === undefined) throw new AppError('not_found');
  return organization;
}

/** Far more than any form needs. */
const MAX_BODY_BYTES = 16_384;
const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i;

export function toPageCall(event: Partial<APIGatewayProxyEvent>, requestId: string): PageCall {
  const call = toCall(event, requestId, new Date());
  const { requestLog, method, path, params, query, headers, mount, body = '' } = call;
  return {
    ...{ requestId, requestLog, method, path, params, query, headers },
    at: (target) => mount + target,
    form: new URLSearchParams(body.length > MAX_BODY_BYTES ? '' : body),
    cookies: cookiesIn(headers.cookie ?? ''),
    address: event.requestContext?.identity.sourceIp ?? '',
    isLocal: LOOPBACK.test(headers.host ?? ''),
  };
}

function cookiesIn(header: string): ReadonlyMap<string, string> {
  const pairs = header.split(';').map((pair) => pair.trim().split('='));
  return new Map(pairs.map(([name = '', ...value]) => [name, value.join('=')]));
}

/** Throws unless a form came from a page of this origin, by one of two headers that no script can set. */
export function assertOwnForm({ method, headers, isLocal }: PageCall): void {
  if (method === 'GET' || method === 'HEAD') return;
  const { origin, host, 'sec-fetch-site': site } = headers;
  const isOwnOrigin = origin === `${isLocal ? 'http' : 'https'}://${host}`;
  const isOwn =
    origin === undefined ? site === 'same-origin' : isOwnOrigin && (site ?? 'same-origin') === 'same-origin';
  if (!isOwn) throw new AppError('invalid_request', { message: 'This form was not sent from this site.' });
}
