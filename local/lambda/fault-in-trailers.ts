import type { IncomingMessage } from 'node:http';
import type { Fault } from './invocation.ts';

const ERROR_TYPE = 'lambda-runtime-function-error-type';
const ERROR_BODY = 'lambda-runtime-function-error-body';

/**
 * A failed stream reports its fault in trailers.
 * https://docs.aws.amazon.com/lambda/latest/dg/runtimes-custom.html
 */
export function faultInTrailers({ trailers }: IncomingMessage): Fault | undefined {
  const errorType = trailers[ERROR_TYPE];
  if (errorType === undefined) return undefined;
  const body = trailers[ERROR_BODY];
  if (body === undefined) return { errorType, errorMessage: errorType };
  return JSON.parse(Buffer.from(body, 'base64').toString()) as Fault;
}
