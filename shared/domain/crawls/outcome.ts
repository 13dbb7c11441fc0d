import type { LeftOut } from '../../contract/crawls/map.ts';
import { hasRepeatedSegment, MAX_LISTED_URL } from './traps.ts';

export type SiteRules = {
  isInScope: (url: URL) => boolean;
  /** By `include` and `exclude`. */
  isWanted: (url: URL) => boolean;
};

/** Why a URL that was discovered is left out, by the first reason that holds. Undefined for a wanted one. */
export function leftOut(url: URL, { isInScope, isWanted }: SiteRules): LeftOut | undefined {
  if (url.href.length > MAX_LISTED_URL) return 'too_long';
  if (hasRepeatedSegment(url)) return 'trap';
  if (!isInScope(url)) return 'out_of_scope';
  return isWanted(url) ? undefined : 'excluded';
}
