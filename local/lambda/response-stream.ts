import { request, type Agent, type ClientRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { HTTP_INTEGRATION_RESPONSE, PRELUDE_DELIMITER, type Fault } from './invocation.ts';

/** The stream that a streaming handler writes to: the body of an HTTP request in progress. */
type ResponseStream = ClientRequest & {
  setContentType: (contentType: string) => void;
  /** Set by HttpResponseStream.from, called just before the first byte. */
  _onBeforeFirstWrite?: (write: (chunk: string | Uint8Array) => void) => void;
};

type OpenResponseStream = {
  stream: ResponseStream;
  /** Settles when the Runtime API has received the whole response. */
  done: Promise<unknown>;
  fail: (fault: Fault) => void;
};

type Write = (chunk: unknown, ...rest: unknown[]) => boolean;

/** Opens the response of an invocation like the Node.js runtime, quirks included. */
export function openResponseStream(api: string, requestId: string, agent: Agent): OpenResponseStream {
  const [host, port] = api.split(':');
  const { promise: done, resolve, reject } = Promise.withResolvers();
  const stream = request(
    {
      host,
      port,
      agent,
      method: 'POST',
      path: `/2018-06-01/runtime/invocation/${requestId}/response`,
      headers: {
        'Lambda-Runtime-Function-Response-Mode': 'streaming',
        'Content-Type': 'application/octet-stream',
        'Transfer-Encoding': 'chunked',
        Trailer: 'Lambda-Runtime-Function-Error-Type, Lambda-Runtime-Function-Error-Body',
      },
    },
    (response) => void text(response).then(resolve, reject),
  ) as ResponseStream;
  stream.on('error', reject);
  // A handler that failed does not wait for `done`, so its rejection is ignored here.
  done.catch(() => undefined);
  return {
    stream: withPrelude(stream),
    done,
    fail: (fault) => {
      if (!stream.writableEnded) stream.addTrailers(trailersOf(fault));
      stream.end();
    },
  };
}

function withPrelude(stream: ResponseStream): ResponseStream {
  let hasBegun = false;
  const write = stream.write.bind(stream) as Write;
  stream.setContentType = (contentType) => {
    if (hasBegun) throw new Error('Cannot set content-type, too late.');
    stream.setHeader('Content-Type', contentType);
  };
  stream.write = ((chunk: unknown, ...rest: unknown[]) => {
    if (!hasBegun) stream._onBeforeFirstWrite?.((part) => void write(part));
    hasBegun = true;
    const isBytes = typeof chunk === 'string' || chunk instanceof Uint8Array;
    return write(isBytes ? chunk : JSON.stringify(chunk), ...rest);
  }) as ResponseStream['write'];
  return stream;
}

function trailersOf(fault: Fault) {
  return {
    'Lambda-Runtime-Function-Error-Type': fault.errorType,
    'Lambda-Runtime-Function-Error-Body': Buffer.from(JSON.stringify(fault)).toString('base64'),
  };
}

const streaming = Symbol.for('aws.lambda.runtime.handler.streaming');

export const isStreaming = (handler: object): boolean => streaming in handler;

/**
 * The runtime's global for handlers.
 * https://docs.aws.amazon.com/lambda/latest/dg/config-rs-write-functions.html
 */
export const awslambda = {
  streamifyResponse: <T extends object>(handler: T): T => Object.assign(handler, { [streaming]: 'response' }),
  HttpResponseStream: {
    from(stream: ResponseStream, metadata: Record<string, unknown>): ResponseStream {
      stream.setContentType(HTTP_INTEGRATION_RESPONSE);
      stream._onBeforeFirstWrite = (write) => {
        write(JSON.stringify(metadata));
        write(PRELUDE_DELIMITER);
      };
      return stream;
    },
  },
};
