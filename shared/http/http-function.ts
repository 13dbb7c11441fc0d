import { Readable } from 'node:stream';
import middy, { type Request } from '@middy/core';
import { executionModeStandard } from '@middy/core/Standard';
import { executionModeStreamifyResponse } from '@middy/core/StreamifyResponse';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { AppError, toAppError } from '../errors.ts';
import type { FunctionName } from '../config.ts';
import type { Log } from '../observe/log.ts';
import type { Effects } from '../ports.ts';
import { authenticate } from './authenticate.ts';
import { type AuthenticatedCall, type Call, routeOf, toCall } from './call.ts';
import { encoded } from './content-encoding.ts';
import { openMeter } from './meter.ts';
import { problem } from './problem.ts';
import { type Reply, withLength } from './reply.ts';
import type { AnyRoute } from './routes.ts';

type Clock = Pick<Effects, 'now' | 'newId'>;
/** Accounts are needed only where a route asks for a key. */
type Needs<F extends FunctionName> = Clock &
  (Extract<AnyRoute, { function: F; bucket: string }> extends never ? unknown : Pick<Effects, 'accounts'>);

/** What a function implements: every route of the list that is its own, and none other. */
export type Operations<F extends FunctionName> = {
  [R in Extract<AnyRoute, { function: F }> as R['operationId']]: (
    call: R extends { bucket: string } ? AuthenticatedCall : Call,
  ) => Promise<Reply>;
};

type Operation = (call: Call) => Promise<Reply>;
type Mode = 'streaming' | 'buffered';
type Exchange = Request<Call, unknown>;

/** Time to answer 504 in, if our own deadlines should ever fail, before Lambda kills the invocation. */
const TIMEOUT_EARLY_MS = 2_500;

/**
 * The Lambda handler for a function's routes. `streaming` is what API Gateway calls; `buffered` answers with a whole
 * response object, for callers that can't take a stream.
 */
export function httpFunction<F extends FunctionName>(
  fx: Needs<F>,
  log: Log,
  operations: Operations<F>,
  mode: Mode,
) {
  const byId = operations as Readonly<Record<string, Operation | undefined>>;
  const handler: unknown = middy({
    executionMode: mode === 'streaming' ? executionModeStreamifyResponse : executionModeStandard,
    timeoutEarlyInMillis: TIMEOUT_EARLY_MS,
    timeoutEarlyResponse: () => {
      throw new AppError('timeout');
    },
    requestEnd: async ({ event }) => afterwards(event as Call, log),
  })
    .use(gateway(fx, mode))
    .use(standardHeaders())
    .use(problems())
    .before(admitCaller(fx) as never)
    .handler((async (call: Call) => byId[call.route?.operationId ?? '']?.(call)) as never);
  // middy types the handler by what its middlewares exchange; what comes in is the event that the first one reads.
  return handler as (event: APIGatewayProxyEvent, context: Context) => Promise<unknown>;
}

/** Outermost: the proxy event becomes a Call, the Reply becomes what API Gateway takes. */
function gateway({ newId }: Clock, mode: Mode) {
  const respond = async (request: Exchange) => {
    const reply = request.response as Reply;
    const { status, headers, body } = withLength(encoded(reply, request.event.headers['accept-encoding']));
    const content = mode === 'streaming' ? streamed(body) : await buffered(body);
    request.response = { statusCode: status, headers, ...content };
  };
  return {
    before: (request: Exchange) => {
      request.event = toCall(request.event as unknown as APIGatewayProxyEvent, newId());
    },
    after: respond,
    onError: respond,
  };
}

/** The headers that every answer carries. */
function standardHeaders() {
  const finish = async (request: Exchange) => {
    const call = request.event;
    const reply = request.response as Reply;
    const usage = await usageHeaders(call);
    request.response = {
      ...reply,
      headers: {
        ...reply.headers,
        ...usage,
        'X-Request-Id': call.requestId,
        'Cache-Control': 'no-store',
        'X-Content-Type-Options': 'nosniff',
      },
    };
    call.trail.note({ status: reply.status, credits: Number(usage['X-Credits-Used']) });
    if (request.error) call.trail.fail(request.error);
    call.trail.enter('send');
  };
  return { after: finish, onError: finish };
}

/** What the caller does not wait for: the slot is given back, and the request leaves its line in the log. */
async function afterwards({ trail, meter }: Call, log: Log): Promise<void> {
  trail.enter('settle');
  await meter?.settled().catch((error: unknown) => trail.fail(error));
  trail.write(log, 'request');
}

/** Innermost, so that it sees an error first: the error becomes a Reply. */
function problems() {
  return {
    onError: (request: Exchange) => {
      request.response = problem(toAppError(request.error), request.event.requestId);
    },
  };
}

function admitCaller({ now, accounts }: Clock & Partial<Pick<Effects, 'accounts'>>) {
  return async (request: Exchange) => {
    const call = request.event;
    const route: AnyRoute = routeOf(call);
    call.route = route;
    call.trail.note({ operation: route.operationId });
    if (!('bucket' in route)) return;
    if (accounts === undefined) throw new Error(`${route.operationId} needs accounts`);
    call.trail.enter('admission');
    call.session = await authenticate(accounts, call.headers.authorization, now());
    const { organization, keyId } = call.session;
    call.trail.note({ orgId: organization.id, keyId });
    call.meter = openMeter({ accounts, now }, organization, route.bucket);
    if (organization.status === 'suspended') throw new AppError('organization_suspended');
  };
}

/** An answer is not lost because the usage could not be read for its headers. */
async function usageHeaders({ meter }: Call): Promise<Record<string, string>> {
  const headers = await meter?.headers().catch(() => undefined);
  return headers ?? { 'X-Credits-Used': '0' };
}

function streamed(body: Reply['body']) {
  return { body: body instanceof Uint8Array ? Readable.from([body]) : body };
}

async function buffered(body: Reply['body']) {
  if (typeof body === 'string') return { body };
  const bytes = body instanceof Uint8Array ? Buffer.from(body) : Buffer.concat(await body.toArray());
  return { body: bytes.toString('base64'), isBase64Encoded: true };
}
