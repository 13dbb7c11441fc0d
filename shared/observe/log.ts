import { Logger } from '@aws-lambda-powertools/logger';
import type { FunctionName } from '../config.ts';

/** Where a function writes its lines: one of JSON a request or message. */
export type Log = Record<Level, (message: string, fields: Record<string, unknown>) => void>;
export type Level = 'info' | 'warn' | 'error';

/** The log of a function. */
export function openLog(name: FunctionName): Log {
  return new Logger({ serviceName: name });
}
