import { MAX_LINE_BYTES } from '../domain/batches/split-lines.ts';
import { AppError } from '../errors.ts';

/**
 * What a request may take of its job's item; the rest is for what the job adds. An item has 400 KB:
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html#limits-items
 */
const MAX_STORED_BYTES = 380_000;
/** Each request of a batch is a line with its defaults, of which 2 MB could make 250. */
const MAX_BATCH_BYTES = 50_000_000;
/** More than DynamoDB adds to a value, or takes for a number. */
const OVERHEAD_BYTES = 8;

/** `request_too_large` for a request, or for what is in `param`, that no item can keep. */
export function storageFault(request: object, param?: string): AppError | undefined {
  const bytes = storedBytes(request);
  if (bytes <= MAX_STORED_BYTES) return undefined;
  const message = `A job keeps a request of at most ${MAX_STORED_BYTES} bytes with its body and its defaults. This one has ${bytes}.`;
  return new AppError('request_too_large', { message, ...(param !== undefined && { fields: { param } }) });
}

/** A request as a line of a batch, which is read as what was sent. */
export function lineOf(request: object): string {
  // Unescaped, the character stands for bytes that were not UTF-8.
  return `${JSON.stringify(request).replaceAll('\uFFFD', String.raw`\ufffd`)}\n`;
}

/** `request_too_large` for a line that would be too long to be read. */
export function lineFault(line: string, param: string): AppError | undefined {
  const bytes = Buffer.byteLength(line);
  if (bytes <= MAX_LINE_BYTES) return undefined;
  const message = `A request of a batch has at most 256 KiB with the defaults. This one has ${bytes} bytes.`;
  return new AppError('request_too_large', { message, fields: { param } });
}

/** Throws `request_too_large` for lines that take much more, with their defaults, than was sent. */
export function assertBatchFits(lines: readonly string[]): void {
  const bytes = lines.reduce((sum, line) => sum + Buffer.byteLength(line), 0);
  if (bytes <= MAX_BATCH_BYTES) return;
  const message = `A batch keeps at most 50 MB of requests, each with the defaults. This one has ${bytes} bytes. With input=upload it keeps the defaults once.`;
  throw new AppError('request_too_large', { message, fields: { param: 'defaults' } });
}

function storedBytes(value: unknown): number {
  if (typeof value === 'string') return OVERHEAD_BYTES + Buffer.byteLength(value);
  if (typeof value !== 'object' || value === null) return OVERHEAD_BYTES;
  const parts = Object.entries(value).map(([name, each]) => Buffer.byteLength(name) + storedBytes(each));
  return parts.reduce((sum, bytes) => sum + bytes, OVERHEAD_BYTES);
}
