import type { Stage } from '../stages.ts';

/**
 * Environments that Lambda keeps for each unit of concurrency with tenant isolation, idle ones included.
 * https://docs.aws.amazon.com/lambda/latest/dg/tenant-isolation-troubleshooting.html
 */
const ENVIRONMENTS_PER_CONCURRENCY = 2.5;

/** A warning if the stage's organizations need more environments than Lambda keeps. */
export function tooFewEnvironments({
  tenantIsolation,
  reservedConcurrency,
  expected,
}: Stage): string | undefined {
  const { browser: reserved } = reservedConcurrency;
  if (!tenantIsolation || reserved === undefined || expected === undefined) return undefined;
  const environments = Math.floor(reserved * ENVIRONMENTS_PER_CONCURRENCY);
  const needed = expected.organizations * expected.pagesAtOnce;
  if (needed <= environments) return undefined;
  return `${needed} environments are expected (${expected.organizations} organizations, ${expected.pagesAtOnce} pages each), but ${reserved} reserved browsers allow ${environments}. Further requests fail with busy.`;
}
