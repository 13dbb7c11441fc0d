import type { IncomingMessage } from 'node:http';
import { PassThrough, Readable } from 'node:stream';
import type { Answer, Fault } from './invocation.ts';

export type CurrentInvocation = {
  requestId: string;
  /** Ends the body that the caller reads. */
  cutOff?: () => void;
  answer: PromiseWithResolvers<Answer>;
  fault: PromiseWithResolvers<Fault | undefined>;
};

const ERROR_TYPE = 'lambda-runtime-function-error-type';
const ERROR_BODY = 'lambda-runtime-function-error-body';

/** Pipes a response to the caller as it arrives, buffered or streamed. */
export function receive(current: CurrentInvocation, request: IncomingMessage, onEnd: () => void): void {
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

/** Ends the response early with a fault. */
export function end(current: CurrentInvocation, fault: Fault): void {
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
