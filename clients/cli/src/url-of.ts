import type { Call } from './command.ts';
import { UsageError } from './usage-error.ts';

/** The URL that is the command's only argument; `https` if it names no scheme. */
export function urlOf(call: Pick<Call, 'args'>): string {
  const text = argumentOf(call, 'URL');
  const hasScheme = /^https?:\/\//i.test(text);
  const url = hasScheme ? text : `https://${text}`;
  // A word is more likely a misspelled command.
  if (URL.canParse(url) && (hasScheme || text.includes('.'))) return url;
  throw new UsageError(`"${text}" is neither a command nor a URL. See sitefetch --help.`);
}

/** The command's only argument. Throws a `UsageError` if it is missing, or not the only one. */
export function argumentOf({ args: [first, ...others] }: Pick<Call, 'args'>, name: string): string {
  if (first === undefined) throw new UsageError(`${name} is missing.`);
  if (others.length > 0) throw new UsageError(`Only one ${name} is accepted.`);
  return first;
}
