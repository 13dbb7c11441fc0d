import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { PassThrough, Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { listen } from '../listen.ts';
import type { Answer, Fault, Invocation } from './invocation.ts';

type RuntimeApi = {
  /** `host:port`, the value of AWS_LAMBDA_RUNTIME_API. */
  address: string;
  /** Hands an event to the runtime and resolves when its response begins. Undefined if it is not waiting. */
  invoke: (invocation: Invocation, functionArn: string, deadline: number) => Promise<Answer> | undefined;
  /** Ends the invocation in progress, if any, because the runtime will not. */
  fail: (fault: Fault) => void;
} & AsyncDisposable;

type RuntimeEvents = {
  /** The runtime waits for an event. */
  onNext: () => void;
  onInitError: (fault: Fault) => void;
};

type Current = {
  requestId: string;
  /** Ends the body that the caller reads. */
  cutOff?: () => void;
  answer: PromiseWithResolvers<Answer>;
  fault: PromiseWithResolvers<Fault | undefined>;
};

const PREFIX = '/2018-06-01/runtime';
const INVOCATION = /^\/2018-06-01\/runtime\/invocation\/([^/]+)\/(response|error)$/;
const ERROR_TYPE = 'lambda-runtime-function-error-type';
const ERROR_BODY = 'lambda-runtime-function-error-body';

/**
 * The HTTP side of one execution environment. https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
 */
export async function openRuntimeApi({ onNext, onInitError }: RuntimeEvents): Promise<RuntimeApi> {
  let runtime: ServerResponse | undefined;
  let current: Current | undefined;

  // Functions may work for 15 minutes, and wait for an event without limit.
  const server = createServer({ requestTimeout: 0, keepAliveTimeout: 0 }, (request, response) => {
    route(request, response).catch(() => response.destroy());
  });

  async function route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '';
    const [, requestId, verb] = INVOCATION.exec(path) ?? [];
    if (request.method === 'GET' && path === `${PREFIX}/invocation/next`) next(response);
    else if (path === `${PREFIX}/init/error`) {
      onInitError((await json(request)) as Fault);
      accept(response);
    } else if (current?.requestId !== requestId || !current) refuse(response);
    else if (verb === 'error') {
      end(current, (await json(request)) as Fault);
      accept(response);
    } else receive(current, request, response);
  }

  function next(response: ServerResponse) {
    current = undefined;
    runtime = response;
    response.once('close', () => {
      if (runtime === response) runtime = undefined;
    });
    onNext();
  }

  function invoke(invocation: Invocation, functionArn: string, deadline: number) {
    if (!runtime) return undefined;
    current = {
      requestId: invocation.requestId,
      answer: Promise.withResolvers(),
      fault: Promise.withResolvers(),
    };
    runtime.writeHead(200, invocationHeaders(invocation, functionArn, deadline)).end(invocation.payload);
    runtime = undefined;
    return current.answer.promise;
  }

  const { url, ...listening } = await listen(server);
  return {
    ...listening,
    address: new URL(url).host,
    invoke,
    fail: (fault) => {
      if (current) end(current, fault);
    },
  };
}

/** Pipes a response to the caller as it arrives, buffered or streamed. */
function receive(current: Current, request: IncomingMessage, response: ServerResponse): void {
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
    accept(response);
  });
  request.once('close', () => {
    if (!request.complete)
      end(current, { errorType: 'Runtime.TruncatedResponse', errorMessage: 'The response ended early.' });
  });
  request.on('error', () => undefined);
}

function end(current: Current, fault: Fault): void {
  current.fault.resolve(fault);
  current.cutOff?.();
  current.answer.resolve({
    contentType: 'application/json',
    body: Readable.from([]),
    fault: current.fault.promise,
  });
}

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
    'Lambda-Runtime-Trace-Id': traceId(invocation.requestId),
    ...(invocation.tenantId !== undefined && { 'Lambda-Runtime-Aws-Tenant-Id': invocation.tenantId }),
    ...(invocation.clientContext !== undefined && {
      'Lambda-Runtime-Client-Context': Buffer.from(invocation.clientContext, 'base64').toString(),
    }),
  };
}

/** https://docs.aws.amazon.com/xray/latest/devguide/xray-api-sendingdata.html#xray-api-traceids */
function traceId(requestId: string): string {
  const seconds = Math.floor(Date.now() / 1_000).toString(16);
  return `Root=1-${seconds}-${requestId.replaceAll('-', '').slice(0, 24)};Sampled=0`;
}

function accept(response: ServerResponse): void {
  response.writeHead(202, { 'Content-Type': 'application/json' }).end('{"status":"OK"}');
}

function refuse(response: ServerResponse): void {
  const fault: Fault = { errorType: 'InvalidRequestID', errorMessage: 'Invalid request ID' };
  response.writeHead(400, { 'Content-Type': 'application/json' }).end(JSON.stringify(fault));
}
