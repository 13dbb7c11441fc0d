import { AppError, type Fault } from '../errors.ts';
import type { Path } from './schema-at.ts';

/** The part of a request that holds its fields. */
export type Source = 'query' | 'body';

export const MAX_FAULTS = 20;

/** Names and paths are repeated in messages up to this length. */
const [MAX_SHOWN, MAX_PATH] = [64, 256];

/** The error for these faults. The first gives the message; up to `most` are listed if there are several. */
export function invalidRequest(
  [first, ...others]: readonly [Fault, ...Fault[]],
  { most = MAX_FAULTS, cause }: { most?: number; cause?: unknown } = {},
): AppError {
  const { message, param } = first;
  return new AppError('invalid_request', {
    message,
    ...(param !== undefined && { fields: { param } }),
    ...(others.length > 0 && { errors: [first, ...others].slice(0, most) }),
    cause,
  });
}

export function invalidField(name: string, message: string): AppError {
  return invalidRequest([{ param: shortened(name), message }]);
}

/** A path as callers write it: `js_scenario.instructions[2].click`. */
export function pathText(path: Path): string {
  let text = '';
  for (const key of path) {
    const name = typeof key === 'number' ? `[${key}]` : shortened(key);
    text += text === '' || typeof key === 'number' ? name : `.${name}`;
    if (text.length > MAX_PATH) return `${text.slice(0, MAX_PATH)}…`;
  }
  return text;
}

export function shortened(name: PropertyKey): string {
  const text = String(name);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
