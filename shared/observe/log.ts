import { Logger } from '@aws-lambda-powertools/logger';
import type { FunctionName } from '../config.ts';

export type Log = Record<Level, (message: string, fields: Record<string, unknown>) => void>;
export type Level = 'info' | 'warn' | 'error';

export function openLog(name: FunctionName): Log {
  return new Logger({ serviceName: name });
}
