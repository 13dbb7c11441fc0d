import { Logger } from '@aws-lambda-powertools/logger';
import type { ErrorCode } from '../errors.ts';
import type { FunctionName } from '../config.ts';
import type { Call } from './call.ts';

/** Where a function writes its lines: one of JSON a request or message. */
export type Log = Pick<Logger, 'info' | 'warn' | 'error'>;

/** The log of a function. */
export function openLog(name: FunctionName): Log {
  return new Logger({ serviceName: name });
}

export type Outcome = { status: number; credits: number; bytes?: number; code?: ErrorCode; cause?: unknown };

/** The one line of a request. No header, no body and no query string is in it: they may hold secrets. */
export function logRequest(log: Log, call: Call, { cause, ...outcome }: Outcome): void {
  const line = {
    request_id: call.requestId,
    operation: call.route?.operationId,
    org_id: call.session?.organization.id,
    key_id: call.session?.keyId,
    ms: Date.now() - call.receivedAt.getTime(),
    ...outcome,
  };
  if (outcome.status === 500) log.error('request', { ...line, ...described(cause) });
  else log.info('request', line);
}

/** An unexpected error for the log: what it is and where it came from, with all its causes. */
export function described(error: unknown): { fault: string | undefined } {
  return { fault: error instanceof Error ? chain(error).join('\nCaused by: ') : String(error) };
}

function chain(error: Error): string[] {
  const own = error.stack ?? error.message;
  return error.cause instanceof Error ? [own, ...chain(error.cause)] : [own];
}
