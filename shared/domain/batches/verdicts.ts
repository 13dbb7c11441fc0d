import { VerdictKind } from '../../contract/scrape/verdict.ts';

/** How many pages have each verdict. Verdicts without a page are left out. */
export type VerdictCounts = Partial<Record<VerdictKind, number>>;

export function addedUp(counts: readonly VerdictCounts[]): VerdictCounts {
  const sums = VerdictKind.options.map(
    (kind) => [kind, counts.reduce((sum, each) => sum + (each[kind] ?? 0), 0)] as const,
  );
  return Object.fromEntries(sums.filter(([, sum]) => sum > 0));
}
