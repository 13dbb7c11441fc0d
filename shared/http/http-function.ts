import { Readable } from 'node:stream';
import middy from '@middy/core';
import { executionModeStandard } from '@middy/core/Standard';
import { executionModeStreamifyResponse } from '@middy/core/StreamifyResponse';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import type { FunctionName } from '../config.ts';
import { AppError, toAppError } from '../errors.ts';
import type { Log } from '../observe/log.ts';
import { type Call, toCall } from './call.ts';
import { encoded } from './content-encoding.ts';
import { problem } from './problem.ts';
import type { Reply } from './reply.ts';
import { type Needs, type Operations, respond } from './respond.ts';

type Mode = 'streaming' | 'buffered';

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
  const [executionMode, integrated] =
    mode === 'streaming' ? [executionModeStreamifyResponse, streamed] : [executionModeStandard, buffered];
  const handler: unknown = middy<Call, unknown>({
    executionMode,
    timeoutEarlyInMillis: TIMEOUT_EARLY_MS,
    timeoutEarlyResponse: () => {
      throw new AppError('timeout');
    },
    requestStart: (request) => {
      request.event = toCall(request.event as APIGatewayProxyEvent, fx.newId());
    },
    requestEnd: async ({ event }) => afterwards(event as Call, log),
  })
    .onError(async (request) => {
      const { event: call, error } = request;
      request.response = await integrated(await finished(call, problem(toAppError(error), call.requestId)));
      call.trail.fail(error);
    })
    .handler(async (call: Call) => integrated(await finished(call, await respond(fx, operations, call))));
  return handler as (event: APIGatewayProxyEvent, context: Context) => Promise<unknown>;
}

/** The reply with the headers that every answer carries, in the encoding that the caller prefers. */
async function finished(call: Call, reply: Reply): Promise<Reply> {
  const usage = await usageHeaders(call);
  call.trail.note({ status: reply.status, credits: Number(usage['X-Credits-Used']) });
  call.trail.enter('send');
  const headers = {
    ...reply.headers,
    ...usage,
    'X-Request-Id': call.requestId,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  };
  return encoded({ ...reply, headers }, call.headers['accept-encoding']);
}

/** An answer is not lost because the usage could not be read for its headers. */
async function usageHeaders({ meter }: Call): Promise<Record<string, string>> {
  const headers = await meter?.headers().catch(() => undefined);
  return headers ?? { 'X-Credits-Used': '0' };
}

/** What the caller does not wait for: the slot is given back, and the request leaves its line in the log. */
async function afterwards({ trail, meter }: Call, log: Log): Promise<void> {
  trail.enter('settle');
  await meter?.settled().catch((error: unknown) => trail.fail(error));
  trail.write(log, 'request');
}

function streamed({ status, headers, body }: Reply) {
  return { statusCode: status, headers, body: body instanceof Uint8Array ? Readable.from([body]) : body };
}

async function buffered({ status, headers, body }: Reply) {
  const head = { statusCode: status, headers };
  if (typeof body === 'string') return { ...head, body };
  const bytes = body instanceof Uint8Array ? Buffer.from(body) : Buffer.concat(await body.toArray());
  return { ...head, body: bytes.toString('base64'), isBase64Encoded: true };
}
