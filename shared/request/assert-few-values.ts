import { invalidRequest, pathText } from './fault.ts';

/** Twice what the largest valid request has. Each may be a fault, which takes 3 KB and 24 µs to explain. */
const MAX_VALUES = 10_000;

/**
 * Throws `invalid_request`, with the largest field, if a JSON value has too many others inside, or `besides`.
 * `within` is the value's path. It must not be deep.
 */
export function assertFewValues(
  json: unknown,
  name: string,
  { within = [], besides = 0 }: { within?: readonly PropertyKey[]; besides?: number } = {},
): void {
  if (countValues(json) + besides <= MAX_VALUES) return;
  const sizes = Object.entries(json as object).map(([field, value]) => ({ field, size: countValues(value) }));
  const { field } = sizes.reduce((largest, each) => (each.size > largest.size ? each : largest));
  const param = pathText(Array.isArray(json) ? within : [...within, field]);
  const most = param === '' ? '' : `, most of them in '${param}'`;
  throw invalidRequest([
    { message: `The ${name} has more than 10,000 values${most}.`, ...(param !== '' && { param }) },
  ]);
}

/** A JSON value and all others inside. */
export function countValues(json: unknown): number {
  if (typeof json !== 'object' || json === null) return 1;
  let count = 1;
  for (const value of Object.values(json)) count += countValues(value);
  return count;
}
