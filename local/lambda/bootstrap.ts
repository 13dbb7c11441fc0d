/** Runs one function in this process like Lambda's Node.js 24 runtime. The settings are JSON in argv. */
import { existsSync } from 'node:fs';
import { Agent, request, type IncomingHttpHeaders } from 'node:http';
import { flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { prefixConsole } from './prefix-console.ts';
import type { Fault } from './invocation.ts';
import { awslambda, isStreaming, openResponseStream } from './response-stream.ts';

export type RuntimeSettings = {
  /** `host:port` of the Runtime API. */
  api: string;
  taskRoot: string;
  handler: string;
  functionName: string;
  logGroupName: string;
  logStreamName: string;
  memoryMb: number;
};

type Handler = (...parameters: unknown[]) => unknown;

const INVOCATION = '/2018-06-01/runtime/invocation';

const settings = JSON.parse(process.argv[2] ?? '{}') as RuntimeSettings;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
let requestId: string | undefined;

exitWithParent();
prefixConsole(() => requestId);
Object.assign(globalThis, { awslambda });

const handler = await loadHandler().catch(async (error: unknown) => {
  console.error(error);
  await call('POST', '/2018-06-01/runtime/init/error', JSON.stringify(faultOf(error)));
  process.exit(1);
});
// The stack ends its functions by a signal, which saves nothing.
flushCompileCache();
for (;;) await handleOne(handler);

async function handleOne(handle: Handler): Promise<void> {
  const { headers, body } = await call('GET', `${INVOCATION}/next`);
  const id = String(headers['lambda-runtime-aws-request-id']);
  requestId = id;
  // The SDK sends it on with each call, and with it the length of the chain of invocations.
  // oxlint-disable-next-line no-restricted-properties -- set, and not read
  process.env['_X_AMZN_TRACE_ID'] = String(headers['lambda-runtime-trace-id']);
  const event: unknown = JSON.parse(body);
  const context = contextOf(headers);
  await (isStreaming(handle) ? stream(handle, event, context, id) : buffer(handle, event, context, id));
  requestId = undefined;
}

async function buffer(handle: Handler, event: unknown, context: object, id: string): Promise<void> {
  try {
    const result = (await handle(event, context)) ?? null;
    await call('POST', `${INVOCATION}/${id}/response`, JSON.stringify(result));
  } catch (error) {
    console.error('Invoke Error', error);
    await call('POST', `${INVOCATION}/${id}/error`, JSON.stringify(faultOf(error)));
  }
}

async function stream(handle: Handler, event: unknown, context: object, id: string): Promise<void> {
  const { stream: responseStream, done, fail } = openResponseStream(settings.api, id, agent);
  try {
    await handle(event, responseStream, context);
    await done;
  } catch (error) {
    console.error('Invoke Error', error);
    fail(faultOf(error));
    await done.catch(() => undefined);
  }
}

async function loadHandler(): Promise<Handler> {
  const dot = settings.handler.lastIndexOf('.');
  const stem = join(settings.taskRoot, settings.handler.slice(0, dot));
  const file = ['.mjs', '.js', '.cjs'].map((extension) => stem + extension).find((path) => existsSync(path));
  if (file === undefined) throw new Error(`Cannot find module '${stem}'`);
  const exports = (await import(pathToFileURL(file).href)) as Record<string, unknown>;
  const found = exports[settings.handler.slice(dot + 1)];
  if (typeof found !== 'function') throw new Error(`${settings.handler} is undefined or not exported`);
  return found as Handler;
}

/** https://docs.aws.amazon.com/lambda/latest/dg/nodejs-context.html */
function contextOf(headers: IncomingHttpHeaders) {
  const deadline = Number(headers['lambda-runtime-deadline-ms']);
  const clientContext = headers['lambda-runtime-client-context'];
  return {
    awsRequestId: requestId,
    functionName: settings.functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: headers['lambda-runtime-invoked-function-arn'],
    memoryLimitInMB: String(settings.memoryMb),
    logGroupName: settings.logGroupName,
    logStreamName: settings.logStreamName,
    tenantId: headers['lambda-runtime-aws-tenant-id'],
    clientContext: clientContext === undefined ? undefined : (JSON.parse(String(clientContext)) as unknown),
    getRemainingTimeInMillis: () => deadline - Date.now(),
  };
}

async function call(
  method: string,
  path: string,
  body = '',
): Promise<{ headers: IncomingHttpHeaders; body: string }> {
  const [host, port] = settings.api.split(':');
  const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
  const { promise, resolve, reject } = Promise.withResolvers<{
    headers: IncomingHttpHeaders;
    body: string;
  }>();
  request({ host, port, agent, method, path, headers }, (response) => {
    text(response).then((answer) => resolve({ headers: response.headers, body: answer }), reject);
  })
    .on('error', reject)
    .end(body);
  return promise;
}

function faultOf(error: unknown): Fault {
  if (!(error instanceof Error)) return { errorType: typeof error, errorMessage: String(error), trace: [] };
  return { errorType: error.name, errorMessage: error.message, trace: error.stack?.split('\n') ?? [] };
}

/** Standard input is a pipe from the stack, so it closes when the stack ends in any way. */
function exitWithParent(): void {
  process.stdin.resume().on('close', () => process.kill(-process.pid, 'SIGKILL'));
}
