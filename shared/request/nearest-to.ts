import { closest, distance } from 'fastest-levenshtein';

/** Longer than any name of a field or command: not compared with the known ones. */
const MAX_NAME = 64;

/** A name with more typos than this, or than half of its letters, is not a misspelling. */
const MAX_TYPOS = 3;

/** The known name that was probably meant. Comparing takes time in proportion to the lengths of all names. */
export function nearestTo(name: string, names: readonly string[]): string | undefined {
  if (name.length > MAX_NAME || names.length === 0) return undefined;
  const nearest = closest(name.toLowerCase(), names);
  const typos = distance(name.toLowerCase(), nearest);
  return typos <= Math.min(MAX_TYPOS, Math.floor(name.length / 2)) ? nearest : undefined;
}
