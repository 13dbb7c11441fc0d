import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { PassThrough, Readable } from 'node:stream';
import { listen } from '../listen.ts';
import type { Answer, Fault, Invocation } from './invocation.ts';

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

type CurrentInvocation = {
  requestId: string;
  cutOff?: () => void;
  answer: PromiseWithResolvers<Answer>;
  fault: PromiseWithResolvers<Fault | undefined>;
};

/** Pipes a response to the caller as it arrives, buffered or streamed. */
function receive(current: CurrentInvocation, request: IncomingMessage, onEnd: () => void): void {
  const body = new PassThrough();
  current.cutOff = () => {
    request.unpipe(body).resume();
    body.end();
  };
  const contentType = request.headers['content-type'] ?? 'application/octet-stream';
  current.answer.resolve({ contentType, body, fault: current.fault.promise });
  request.pipe(body);
  request.once('end', () => {
    current.fault.resolve(faultInTrailers(request));
    onEnd();
  });
  request.once('close', () => {
    if (!request.complete)
      end(current, { errorType: 'Runtime.TruncatedResponse', errorMessage: 'The response ended early.' });
  });
  request.on('error', () => undefined);
}

function end(current: CurrentInvocation, fault: Fault): void {
  current.fault.resolve(fault);
  current.cutOff?.();
  const body = Readable.from([]);
  current.answer.resolve({ contentType: 'application/json', body, fault: current.fault.promise });
}

const ERROR_TYPE = 'lambda-runtime-function-error-type';
const ERROR_BODY = 'lambda-runtime-function-error-body';

/**
 * A failed stream reports its fault in trailers.
 * https://docs.aws.amazon.com/lambda/latest/dg/runtimes-custom.html
 */
function faultInTrailers({ trailers }: IncomingMessage): Fault | undefined {
  const errorType = trailers[ERROR_TYPE];
  if (errorType === undefined) return undefined;
  const body = trailers[ERROR_BODY];
  if (body === undefined) return { errorType, errorMessage: errorType };
  return JSON.parse(Buffer.from(body, 'base64').toString()) as Fault;
}

function invocationHeaders(invocation: Invocation, functionArn: string, deadline: number) {
  return {
    'Content-Type': 'application/json',
    'Lambda-Runtime-Aws-Request-Id': invocation.requestId,
    'Lambda-Runtime-Deadline-Ms': String(deadline),
    'Lambda-Runtime-Invoked-Function-Arn': functionArn,
    'Lambda-Runtime-Trace-Id': invocation.traceHeader,
    ...(invocation.tenantId !== undefined && { 'Lambda-Runtime-Aws-Tenant-Id': invocation.tenantId }),
    ...(invocation.clientContext !== undefined && {
      'Lambda-Runtime-Client-Context': Buffer.from(invocation.clientContext, 'base64').toString(),
    }),
  };
}
