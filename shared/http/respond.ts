import type { FunctionName } from '../config.ts';
import type { Bucket } from '../domain/credits/admission.ts';
import { AppError } from '../errors.ts';
import type { Effects } from '../ports.ts';
import { authenticate } from './authenticate.ts';
import { type AuthenticatedCall, type Call, routeOf } from './call.ts';
import { openMeter } from './meter.ts';
import type { Reply } from './reply.ts';
import type { AnyRoute } from '../api/routes.ts';

type Clock = Pick<Effects, 'now' | 'newId'>;
/** Accounts are needed only where a route asks for a key. */
export type Needs<F extends FunctionName> = Clock &
  (Extract<AnyRoute, { function: F; auth: 'key' }> extends never ? unknown : Pick<Effects, 'accounts'>);

/** What a function implements: every route of the list that is its own, and none other. */
export type Operations<F extends FunctionName> = {
  [R in Extract<AnyRoute, { function: F }> as R['operationId']]: (
    call: R extends { auth: 'key' } ? AuthenticatedCall : Call,
  ) => Promise<Reply>;
};

type ById = Readonly<Record<string, ((call: Call) => Promise<Reply>) | undefined>>;

/**
 * The reply to a call: its route, then who is calling, then a place in the route's bucket, then the operation. Errors
 * draw from the bucket too. Throws AppErrors.
 */
export async function respond<F extends FunctionName>(
  fx: Needs<F>,
  operations: Operations<F>,
  call: Call,
): Promise<Reply> {
  const route = routeOf(call);
  const { operationId } = route;
  call.trail.note({ operation: operationId });
  const operation = (operations as ById)[operationId];
  if (operation === undefined) throw new Error(`${operationId} is another function's`);
  if (route.auth === 'none') return operation(call);
  const { session, meter } = await identify(fx, call, route.bucket);
  try {
    if (!('holds' in route)) await meter.draw();
    if (session.organization.status === 'suspended') throw new AppError('organization_suspended');
    return await operation(call);
  } catch (error) {
    await meter.draw();
    throw error;
  }
}

/** Adds to the call who is behind it, and a meter for what it uses. */
async function identify(
  { now, accounts }: Clock & Partial<Pick<Effects, 'accounts'>>,
  call: Call,
  bucket: Bucket,
): Promise<Pick<AuthenticatedCall, 'session' | 'meter'>> {
  if (accounts === undefined) throw new Error('Routes with a key need accounts');
  call.trail.enter('admission');
  const session = await authenticate(accounts, call.headers.authorization, now());
  const { organization, keyId } = session;
  call.trail.note({ orgId: organization.id, keyId });
  const meter = openMeter({ accounts, now }, organization, bucket);
  Object.assign(call, { session, meter });
  return { session, meter };
}
