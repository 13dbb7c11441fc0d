import { formatWithOptions } from 'node:util';

const LEVELS = {
  trace: 'TRACE',
  debug: 'DEBUG',
  log: 'INFO',
  info: 'INFO',
  warn: 'WARN',
  error: 'ERROR',
} as const;

/**
 * Makes the console write Lambda's text format: time, request, level and message on one line of standard
 * output.
 * https://docs.aws.amazon.com/lambda/latest/dg/nodejs-logging.html
 */
export function prefixConsole(requestId: () => string | undefined): void {
  for (const [method, level] of Object.entries(LEVELS)) {
    const write = (...values: unknown[]) => {
      const prefix = [new Date().toISOString(), requestId() ?? '', level].join('\t');
      const message = formatWithOptions({}, ...values).replaceAll('\n', '\r');
      process.stdout.write(`${prefix}\t${message}\n`);
    };
    Object.assign(console, { [method]: write });
  }
}
