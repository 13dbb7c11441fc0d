import { AppError } from '../errors.ts';

/**
 * What a request may take of its job's item; the rest is for what the job adds. An item has 400 KB:
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html#limits-items
 */
const MAX_STORED_BYTES = 380_000;
/** Each request of a batch is an item with its defaults, of which 2 MB could make 380. */
const MAX_BATCH_BYTES = 50_000_000;
/** More than DynamoDB adds to a value, or takes for a number. */
const OVERHEAD_BYTES = 8;

/** `request_too_large` for a request, or for what is in `param`, that no job can keep. */
export function storageFault(request: object, param?: string): AppError | undefined {
  const bytes = storedBytes(request);
  if (bytes <= MAX_STORED_BYTES) return undefined;
  const message = `A job keeps a request of at most ${MAX_STORED_BYTES} bytes with its body and its defaults. This one has ${bytes}.`;
  return new AppError('request_too_large', { message, ...(param !== undefined && { fields: { param } }) });
}

/** Throws `request_too_large` for requests that would take much more, with their defaults, than was sent. */
export function assertBatchFits(requests: readonly object[]): void {
  const bytes = requests.reduce((sum, request) => sum + storedBytes(request), 0);
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
