/** Characters beyond which a URL is not listed: https://www.sitemaps.org/protocol.html#locdef */
export const MAX_LISTED_URL = 2_048;

const REPEATS = 3;

/** Whether a segment of the path is there three times, as where relative links grow: `/a/b/a/c/a/`. */
export function hasRepeatedSegment({ pathname }: URL): boolean {
  const counts = new Map<string, number>();
  for (const segment of pathname.split('/').filter(Boolean)) {
    const count = (counts.get(segment) ?? 0) + 1;
    if (count === REPEATS) return true;
    counts.set(segment, count);
  }
  return false;
}
