import type { Writable } from 'node:stream';
import type { PluginExecutionMode, Request } from '@middy/core';
import type { Context } from 'aws-lambda';
import type { Reply } from './reply.ts';
import { send } from './send.ts';

type Core = {
  middyRequest: (event: unknown, context: Context) => Request;
  runRequest: (request: Request, ...rest: unknown[]) => Promise<unknown>;
};
type Hooks = {
  requestStart: (request: Request) => void;
  requestEnd: (request: Request) => Promise<void>;
};
type Handler = (...parameters: never[]) => Promise<Reply>;
type Given = [Core, befores: unknown, Handler, afters: unknown, onErrors: unknown, Hooks];

/** The global of Lambda's Node.js runtime. */
declare const awslambda: {
  streamifyResponse: <H>(handler: H) => H;
  HttpResponseStream: { from: (stream: Writable, head: object) => Writable };
};

/** Time to settle and to write the log line before Lambda kills the invocation. */
const MARGIN_MS = 2_500;

/**
 * middy's mode for handlers that stream. In contrast to its own, slow readers are cut off, and `requestEnd`
 * runs once the delivery has succeeded or failed, with the fault in `error`.
 */
function streaming(...[{ middyRequest, runRequest }, befores, first, afters, onErrors, hooks]: Given) {
  let handler = first;
  const run = awslambda.streamifyResponse(async (event: unknown, stream: Writable, context: Context) => {
    const request = middyRequest(event, context);
    hooks.requestStart(request);
    const reply = (await runRequest(request, befores, handler, afters, onErrors, hooks)) as Reply;
    const { status, headers, body } = reply;
    const out = awslambda.HttpResponseStream.from(stream, { statusCode: status, headers });
    // The head goes ahead of a body that may take its time.
    out.write('');
    const endsInMs = Math.max(0, context.getRemainingTimeInMillis() - MARGIN_MS);
    const fault = await send(out, body, { endsInMs }).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (fault !== undefined) request.error = fault as Error;
    await hooks.requestEnd(request);
    if (fault !== undefined) throw fault as Error;
  });
  return Object.assign(run, {
    handler: (next: Handler) => {
      handler = next;
      return run;
    },
  });
}

/** middy types a mode as a function of nothing. */
export const streamingMode: PluginExecutionMode = (...given: unknown[]) => streaming(...(given as Given));
