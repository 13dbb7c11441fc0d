import { nearestTo } from '../shared/request/nearest-to.ts';

/** ` Did you mean "org list"?` if one of the words is near, else nothing. */
export function didYouMean(typed: string, known: readonly string[]): string {
  const nearest = nearestTo(typed, known);
  return nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
}
