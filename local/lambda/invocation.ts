import type { Readable } from 'node:stream';

/** Why an invocation failed, in the form of the Runtime API and the Lambda API. */
export type Fault = { errorType: string; errorMessage: string; trace?: string[] };

export type Invocation = {
  requestId: string;
  payload: string | Buffer;
  traceHeader: string;
  tenantId?: string | undefined;
  clientContext?: string | undefined;
};

/**
 * The response of an invocation, from its first byte on. The body never errors: it ends, and then `fault`
 * says whether it is complete.
 */
export type Answer = {
  contentType: string;
  body: Readable;
  fault: Promise<Fault | undefined>;
};

/** Type of a response that begins with its status and headers as JSON and eight NUL bytes. */
export const HTTP_INTEGRATION_RESPONSE = 'application/vnd.awslambda.http-integration-response';
export const PRELUDE_DELIMITER = Buffer.alloc(8);
