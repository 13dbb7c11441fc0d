import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { listen } from '../listen.ts';
import { type CurrentInvocation, end, receive } from './current-invocation.ts';
import type { Answer, Fault, Invocation } from './invocation.ts';
import { invocationHeaders } from './invocation-headers.ts';

export type RuntimeApi = {
  /** `host:port`, the value of AWS_LAMBDA_RUNTIME_API. */
  address: string;
  /** Hands an event to the runtime and resolves when its response begins. Undefined if it is not waiting. */
  invoke: (invocation: Invocation, functionArn: string, deadline: number) => Promise<Answer> | undefined;
  /** Ends the invocation in progress, if any, because the runtime will not. */
  fail: (fault: Fault) => void;
} & AsyncDisposable;

type RuntimeEvents = {
  onNext: () => void;
  onInitError: (fault: Fault) => void;
};

const PREFIX = '/2018-06-01/runtime';
const INVOCATION = /^\/2018-06-01\/runtime\/invocation\/([^/]+)\/(response|error)$/;
type State = RuntimeEvents & {
  runtime?: ServerResponse | undefined;
  current?: CurrentInvocation | undefined;
};

/**
 * The HTTP side of one execution environment. https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
 */
export async function openRuntimeApi(events: RuntimeEvents): Promise<RuntimeApi> {
  const state: State = { ...events };
  // Functions may work for 15 minutes, and wait for an event without limit.
  const server = createServer({ requestTimeout: 0, keepAliveTimeout: 0 }, (request, response) => {
    route(state, request, response).catch(() => response.destroy());
  });
  const { url, ...listening } = await listen(server);
  return {
    ...listening,
    address: new URL(url).host,
    invoke: (invocation, functionArn, deadline) =>
      hand(state, invocation, invocationHeaders(invocation, functionArn, deadline)),
    fail: (fault) => {
      if (state.current) end(state.current, fault);
    },
  };
}

async function route(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { current, onInitError } = state;
  const path = request.url ?? '';
  const [, requestId, verb] = INVOCATION.exec(path) ?? [];
  if (request.method === 'GET' && path === `${PREFIX}/invocation/next`) wait(state, response);
  else if (path === `${PREFIX}/init/error`) {
    onInitError((await json(request)) as Fault);
    accept(response);
  } else if (current?.requestId !== requestId || !current) refuse(response);
  else if (verb === 'error') {
    end(current, (await json(request)) as Fault);
    accept(response);
  } else receive(current, request, () => accept(response));
}

/** Keeps the runtime's request for an event until there is one. */
function wait(state: State, response: ServerResponse): void {
  state.current = undefined;
  state.runtime = response;
  response.once('close', () => {
    if (state.runtime === response) state.runtime = undefined;
  });
  state.onNext();
}

function hand(state: State, { requestId, payload }: Invocation, headers: OutgoingHttpHeaders) {
  if (!state.runtime) return undefined;
  state.current = { requestId, answer: Promise.withResolvers(), fault: Promise.withResolvers() };
  state.runtime.writeHead(200, headers).end(payload);
  state.runtime = undefined;
  return state.current.answer.promise;
}

function accept(response: ServerResponse): void {
  response.writeHead(202, { 'Content-Type': 'application/json' }).end('{"status":"OK"}');
}

function refuse(response: ServerResponse): void {
  const fault: Fault = { errorType: 'InvalidRequestID', errorMessage: 'Invalid request ID' };
  response.writeHead(400, { 'Content-Type': 'application/json' }).end(JSON.stringify(fault));
}
