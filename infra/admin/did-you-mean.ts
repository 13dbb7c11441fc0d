import { closest, distance } from 'fastest-levenshtein';

/** Further off than this, or than half of its letters, a word is no misspelling. */
const MAX_TYPOS = 3;

/** ` Did you mean "org list"?` if one of the words is near, else nothing. */
export function didYouMean(typed: string, known: readonly string[]): string {
  const nearest = closest(typed, known);
  const isNear = distance(typed, nearest) <= Math.min(MAX_TYPOS, Math.floor(typed.length / 2));
  return isNear ? ` Did you mean "${nearest}"?` : '';
}
