import type { IncomingMessage } from 'node:http';
import { PassThrough, Readable } from 'node:stream';
import type { Answer, Fault } from './invocation.ts';
import { faultInTrailers } from './fault-in-trailers.ts';

export type CurrentInvocation = {
  requestId: string;
  cutOff?: () => void;
  answer: PromiseWithResolvers<Answer>;
  fault: PromiseWithResolvers<Fault | undefined>;
};

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

export function end(current: CurrentInvocation, fault: Fault): void {
  current.fault.resolve(fault);
  current.cutOff?.();
  const body = Readable.from([]);
  current.answer.resolve({ contentType: 'application/json', body, fault: current.fault.promise });
}
