import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { EventStreamCodec, type MessageHeaders } from '@smithy/eventstream-codec';
import { fromUtf8, toUtf8 } from '@smithy/util-utf8';
import { listen, type Listening } from '../listen.ts';
import { pipeResponse } from '../pipe-response.ts';
import type { Answer, Fault } from './invocation.ts';
import { ThrottledError, type LambdaFunction } from './lambda-function.ts';
import { RecursionError } from './lineage.ts';

const EVENT_STREAM = 'application/vnd.amazon.eventstream';
const PATH =
  /^\/(?:2015-03-31|2021-11-15)\/functions\/([^/]+)\/(invocations|response-streaming-invocations)$/;
const codec = new EventStreamCodec(toUtf8, fromUtf8);

/**
 * The part of Lambda's API through which functions call each other.
 * https://docs.aws.amazon.com/lambda/latest/api/API_InvokeWithResponseStream.html
 */
export async function openInvokeApi(functions: ReadonlyMap<string, LambdaFunction>): Promise<Listening> {
  const server = createServer({ requestTimeout: 0 }, (request, response) => {
    response.on('error', () => undefined);
    serve(request, response).catch((error: unknown) => refuse(response, error));
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, name, verb] = PATH.exec(request.url?.split('?')[0] ?? '') ?? [];
    const target = functions.get(nameOf(decodeURIComponent(name ?? '')));
    if (!target) throw new NotFoundError(`Function not found: ${name ?? ''}`);
    const answer = await target.invoke((await buffer(request)).toString() || '{}', {
      tenantId: header(request, 'x-amz-tenant-id'),
      clientContext: header(request, 'x-amz-client-context'),
      traceHeaders: [header(request, 'x-amzn-trace-id')].filter((it) => it !== undefined),
    });
    await (verb === 'invocations' ? sendWhole(answer, response) : sendStream(answer, response));
  }

  return listen(server);
}

async function sendWhole(answer: Answer, response: ServerResponse): Promise<void> {
  const body = await buffer(answer.body);
  const fault = await answer.fault;
  response.writeHead(200, {
    'Content-Type': 'application/json',
    'X-Amz-Executed-Version': '$LATEST',
    ...(fault && { 'X-Amz-Function-Error': 'Unhandled' }),
  });
  response.end(fault ? JSON.stringify(fault) : body);
}

async function sendStream(answer: Answer, response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'Content-Type': EVENT_STREAM, 'X-Amz-Executed-Version': '$LATEST' });
  await pipeResponse(answer.body, response, (chunk) =>
    frame('PayloadChunk', 'application/octet-stream', chunk),
  );
  const fault = await answer.fault;
  response.end(frame('InvokeComplete', 'application/json', Buffer.from(JSON.stringify(completion(fault)))));
}

const completion = (fault: Fault | undefined) =>
  fault ? { ErrorCode: fault.errorType, ErrorDetails: JSON.stringify(fault) } : {};

function frame(eventType: string, contentType: string, body: Uint8Array): Uint8Array {
  const headers: MessageHeaders = {
    ':message-type': { type: 'string', value: 'event' },
    ':event-type': { type: 'string', value: eventType },
    ':content-type': { type: 'string', value: contentType },
  };
  return codec.encode({ headers, body });
}

class NotFoundError extends Error {
  override name = 'ResourceNotFoundException';
}

const STATUSES = [
  [ThrottledError, 429],
  [NotFoundError, 404],
  [RecursionError, 400],
] as const;

function refuse(response: ServerResponse, error: unknown): void {
  if (response.headersSent) return void response.destroy();
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  const [, status] = STATUSES.find(([type]) => error instanceof type) ?? [Error, 500];
  response.writeHead(status, { 'Content-Type': 'application/json', 'X-Amzn-ErrorType': name });
  response.end(JSON.stringify({ Type: 'User', Message: message, message }));
}

/** A name, or the last part of an ARN without its qualifier. */
const nameOf = (nameOrArn: string) => /^arn:.*:function:([^:]+)/.exec(nameOrArn)?.[1] ?? nameOrArn;

function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}
