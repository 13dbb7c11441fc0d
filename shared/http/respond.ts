import type { FunctionName } from '../config.ts';
import type { Bucket } from '../domain/accounts/credits/rate-buckets.ts';
import type { KeyRoute } from '../contract/accounts/account.ts';
import { assertRoute } from '../domain/accounts/key-restrictions.ts';
import { AppError } from '../errors.ts';
import type { Effects } from '../ports/effects.ts';
import type { Route, Tag } from '../api/route.ts';
import { type AnyRoute, routes } from '../api/routes.ts';
import { invalidField, shortened } from '../request/fault.ts';
import { authenticate } from './authenticate.ts';
import type { AuthenticatedCall, Call } from './call.ts';
import { openMeter } from './meter.ts';
import { canonicalRedirect } from './canonical-redirect.ts';
import { takeReaderPlace } from './reader-place.ts';
import type { Reply } from './reply.ts';
import { routeOf } from './route-of.ts';

type Clock = Pick<Effects, 'now' | 'newId' | 'apiUrl'>;
type Authenticating = Pick<Effects, 'keys' | 'organizations' | 'usage'>;
/** Accounts are needed only by routes with a key. */
export type Needs<F extends FunctionName> = Clock &
  (Extract<AnyRoute, { function: F; auth: 'key' }> extends never ? unknown : Authenticating);

/** The operations that a function implements: exactly those its routes list. */
export type Operations<F extends FunctionName> = {
  [R in Extract<AnyRoute, { function: F }> as R['operationId']]: (
    call: R extends { auth: 'key' } ? AuthenticatedCall : Call,
  ) => Promise<Reply>;
};

type ById = Readonly<Record<string, ((call: Call) => Promise<Reply>) | undefined>>;

/**
 * Finds the route, authenticates the caller, takes a place in the route's bucket and runs the operation.
 * Errors draw from the bucket too. Throws AppErrors.
 */
export async function respond<F extends FunctionName>(
  fx: Needs<F>,
  operations: Operations<F>,
  call: Call,
): Promise<Reply> {
  const elsewhere = canonicalRedirect(call);
  if (elsewhere) return elsewhere;
  const route: AnyRoute = routeOf(routes, call);
  const { operationId } = route;
  call.requestLog.note({ operation: operationId });
  const operation = (operations as ById)[operationId];
  if (operation === undefined) throw new Error(`${operationId} is another function's`);
  if (route.auth === 'none') {
    assertParameters(route, call);
    return operation(call);
  }
  const { session, meter } = await identify(fx, call, route.bucket);
  try {
    if ('takesPlace' in route) await takeReaderPlace({ ...call, session, meter });
    else if (!('holds' in route)) await meter.takeRateLimit();
    if (session.organization.status === 'suspended') throw new AppError('organization_suspended');
    const group = KEY_ROUTES[route.tag];
    if (group) assertRoute(session.restrictions, group);
    assertParameters(route, call);
    return await operation(call);
  } catch (error) {
    await meter.takeRateLimit();
    throw error;
  }
}

/** The group of routes that a key may be restricted to. */
const KEY_ROUTES: Partial<Record<Tag, KeyRoute>> = {
  Scrape: 'scrape',
  Map: 'scrape',
  Jobs: 'jobs',
  Batches: 'jobs',
  Crawls: 'crawls',
  Account: 'account',
  Webhooks: 'webhooks',
};

/** Operations with parameters in the query string read them all themselves. */
function assertParameters(route: Route, { query }: Call): void {
  const [unknown] = Object.keys(query);
  if (unknown === undefined || route.parameters.some((parameter) => parameter.in === 'query')) return;
  const hint = route.body ? 'The fields of a POST go in its body.' : 'This path takes none.';
  throw invalidField(unknown, `Unknown parameter '${shortened(unknown)}'. ${hint}`);
}

async function identify(
  fx: Clock & Partial<Authenticating & Pick<Effects, 'queue' | 'notifierQueue'>>,
  call: Call,
  bucket: Bucket,
): Promise<Pick<AuthenticatedCall, 'session' | 'meter'>> {
  const { keys, organizations, usage, now, queue, notifierQueue } = fx;
  if (!keys || !organizations || !usage) throw new Error('Routes with a key need accounts');
  call.requestLog.enter('admission');
  const session = await authenticate({ keys, organizations }, call.headers.authorization, now());
  const { organization, keyId } = session;
  call.requestLog.note({ orgId: organization.id, keyId });
  const meter = openMeter(
    { usage, now, ...(queue && { queue }), ...(notifierQueue && { notifierQueue }) },
    organization,
    bucket,
  );
  Object.assign(call, { session, meter });
  return { session, meter };
}
