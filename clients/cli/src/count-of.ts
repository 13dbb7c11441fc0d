import { type Call, textOf } from './command.ts';
import { UsageError } from './usage-error.ts';

/** The number of an option, if it was given. Throws a `UsageError`. */
export function countOf(call: Pick<Call, 'values'>, name: string): number | undefined {
  const text = textOf(call, name);
  if (text === undefined || /^\d+$/.test(text)) return text === undefined ? undefined : Number(text);
  throw new UsageError(`--${name} takes a number, not "${text}".`);
}
