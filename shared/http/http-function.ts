import { isUtf8 } from 'node:buffer';
import middy from '@middy/core';
import { executionModeStandard } from '@middy/core/Standard';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import type { FunctionName } from '../config.ts';
import type { CreditsReason } from '../domain/accounts/credits/credits-reason.ts';
import { AppError, toAppError } from '../errors.ts';
import type { Log } from '../observe/log.ts';
import type { Call } from './call.ts';
import { toCall } from './to-call.ts';
import { encoded } from './content-encoding.ts';
import type { Effects } from '../ports/effects.ts';
import { preflight, readableBy } from './cross-origin.ts';
import { compatError, CREDITS_REASON, isCompat, problem } from './problem.ts';
import { takePlaceBySize } from './reader-place.ts';
import { type Reply, withLength } from './reply.ts';
import { type Needs, type Operations, respond } from './respond.ts';
import { SlowReader } from './send.ts';
import { streamingMode } from './streaming-mode.ts';
import { addMs } from '../time/units.ts';

type Mode = 'streaming' | 'buffered';

/** The only origin whose pages may call these routes: the dashboard's. */
type ForPages = { webOrigin?: string | undefined };

/** Time to send a 504 before Lambda kills the invocation, should the service's own deadlines fail. */
const TIMEOUT_EARLY_MS = 2_500;

/** API Gateway calls `streaming`; `buffered` is for callers that cannot read a stream. */
export function httpFunction<F extends FunctionName>(
  fx: Needs<F> & ForPages,
  log: Log,
  operations: Operations<F>,
  mode: Mode,
) {
  const integrated = mode === 'streaming' ? (reply: Reply) => reply : buffered;
  const handler: unknown = middy<Call, unknown>({
    executionMode: mode === 'streaming' ? streamingMode : executionModeStandard,
    timeoutEarlyInMillis: TIMEOUT_EARLY_MS,
    timeoutEarlyResponse: () => {
      throw new AppError('timeout');
    },
    requestStart: (request) => {
      const endsAt = addMs(fx.now(), request.context.getRemainingTimeInMillis());
      request.event = toCall(request.event as APIGatewayProxyEvent, fx.newId(), endsAt);
    },
    requestEnd: async ({ event, error }) => afterwards(fx, event as Call, log, error),
  })
    .onError(async (request) => {
      const { event: call, error } = request;
      const { requestId } = call;
      const reported = { requestId, apiUrl: fx.apiUrl };
      const failed = (fault: unknown) => {
        const error = toAppError(fault);
        const reply = isCompat(call) ? compatError(error, reported, call) : problem(error, reported);
        return finished(fx, call, reply);
      };
      // A report may be too large to send without a place.
      request.response = await integrated(await failed(error).catch(failed));
    })
    .handler(async (call: Call) => {
      const reply = preflight(fx.webOrigin, call) ?? (await respond(fx, operations, call));
      return integrated(await finished(fx, call, reply));
    });
  return handler as (event: APIGatewayProxyEvent, context: Context) => Promise<unknown>;
}

/** Adds the headers of every response, and the preferred encoding. Throws `too_many_concurrent`. */
async function finished({ webOrigin }: ForPages, call: Call, reply: Reply): Promise<Reply> {
  await takePlaceBySize(call, reply);
  const usage = await usageHeaders(call);
  call.requestLog.note({ status: reply.status, credits: Number(usage['X-Credits-Used']) });
  call.requestLog.enter('send');
  const headers = {
    [CREDITS_REASON]: 'free' satisfies CreditsReason,
    'Cache-Control': 'no-store',
    ...reply.headers,
    ...usage,
    'X-Request-Id': call.requestId,
    'X-Content-Type-Options': 'nosniff',
  };
  const whole = { ...reply, headers };
  const sized = withLength(call.method === 'HEAD' ? whole : encoded(whole, call.headers['accept-encoding']));
  return readableBy(webOrigin, call, call.method === 'HEAD' ? { ...sized, body: '' } : sized);
}

/** If the usage for the headers cannot be read, the response is sent without them. */
async function usageHeaders({ meter }: Call): Promise<Record<string, string>> {
  const headers = await meter?.headers().catch(() => undefined);
  return headers ?? { 'X-Credits-Used': '0' };
}

/** Runs after the response: frees slots and writes the log line. */
async function afterwards(
  fx: Partial<Pick<Effects, 'keys'>> & Pick<Effects, 'now'>,
  { requestLog, meter, session }: Call,
  log: Log,
  fault?: Error | null,
): Promise<void> {
  const isDelivered = !fault;
  requestLog.enter('settle');
  // A slow reader is not an error of the service.
  if (fault instanceof SlowReader) requestLog.note({ sent: 'too slow' });
  else if (fault) requestLog.fail(fault);
  try {
    if (meter) requestLog.note({ credits: await meter.finish(isDelivered) });
    if (session) await fx.keys?.touch(session.organization.id, session.keyId, fx.now());
  } catch (error) {
    requestLog.fail(error);
  }
  requestLog.write(log, 'request');
}

async function buffered({ status, headers, body }: Reply) {
  const head = { statusCode: status, headers };
  if (typeof body === 'string') return { ...head, body };
  const bytes = body instanceof Uint8Array ? Buffer.from(body) : Buffer.concat(await body.toArray());
  // People read it.
  if (isUtf8(bytes)) return { ...head, body: bytes.toString() };
  return { ...head, body: bytes.toString('base64'), isBase64Encoded: true };
}
