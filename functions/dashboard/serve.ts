import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { pageRoutes } from '../../shared/api/page-routes.ts';
import { AppError, toAppError } from '../../shared/errors.ts';
import { routeOf } from '../../shared/http/route-of.ts';
import type { Log } from '../../shared/observe/log.ts';
import { inPlace } from '../../shared/use-cases/accounts/in-place.ts';
import { whoIs } from '../../shared/use-cases/people/keep-session.ts';
import { readCookie } from './cookies.ts';
import { takePageLimit } from './limited.ts';
import { assertOwnForm, type MemberCall, type PageCall, toPageCall } from './page-call.ts';
import { type DashboardReply, seeOther } from './replies.ts';
import type { Needs, Pages } from './needs.ts';
import { pages } from './pages.ts';
import { faultPage } from './pages/fault.ts';
import { securityHeaders } from './security-headers.ts';
import { addMs } from '../../shared/time/units.ts';

/** Longer than the function may run. */
const PLACE_MS = 30_000;

type ByRoute = Readonly<Record<string, (call: MemberCall) => Promise<DashboardReply>>>;

/** The Lambda handler of the dashboard: one request of a browser, one page or redirect. */
export function dashboardFunction(fx: Needs, log: Log) {
  const handlers = pages(fx);
  return async (event: Partial<APIGatewayProxyEvent>): Promise<APIGatewayProxyResult> => {
    const call = { ...toPageCall(event, fx.newId()), docsUrl: `${fx.apiUrl}/docs` };
    const reply = await respond(fx, handlers, call).catch((error: unknown) => {
      call.requestLog.fail(error);
      return faultPage(call, toAppError(error));
    });
    call.requestLog.note({ status: reply.status });
    call.requestLog.write(log, 'request');
    return {
      statusCode: reply.status,
      headers: { ...securityHeaders, 'X-Request-Id': call.requestId, ...reply.headers },
      ...(reply.cookies.length > 0 && { multiValueHeaders: { 'Set-Cookie': [...reply.cookies] } }),
      body: call.method === 'HEAD' ? '' : reply.body,
    };
  };
}

/** The page for a request: its route, then where the form came from, then who is signed in. */
async function respond(fx: Needs, handlers: Pages, call: PageCall): Promise<DashboardReply> {
  const { method, path } = call;
  const route = routeOf(pageRoutes, { method: method === 'HEAD' ? 'GET' : method, path });
  call.requestLog.note({ operation: route.operationId });
  assertOwnForm(call);
  const person = await whoIs(fx, readCookie(call, 'session'));
  if (person) call.requestLog.note({ orgId: person.orgId, userId: person.id });
  if (route.auth === 'session' && person === undefined) return seeOther(call, '/sign-in');
  const page = async (more: Partial<MemberCall> = {}) =>
    (handlers as ByRoute)[route.operationId]?.({ ...call, person, ...more } as MemberCall) ?? notFound();
  if (route.auth === 'none' || person === undefined) return page();
  await takePageLimit(fx, person.orgId);
  const organization = await fx.organizations.find(person.orgId);
  const named = () => page(organization && { organization });
  if (!('takesPlace' in route)) return named();
  if (organization === undefined) return notFound();
  const until = addMs(fx.now(), PLACE_MS);
  return inPlace(fx, { organization, id: call.requestId, until }, named);
}

function notFound(): never {
  throw new AppError('not_found');
}
