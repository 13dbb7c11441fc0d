import { Annotations, Duration, Size, Validations } from 'aws-cdk-lib';
import { Architecture, type Function, SystemLogLevel, TenancyConfig, Tracing } from 'aws-cdk-lib/aws-lambda';
import { untraced } from '../acknowledged-rules.ts';
import { chromiumLayer } from '../constructs/chromium-layer.ts';
import { serviceFunction } from '../constructs/service-function.ts';
import type { Resources } from '../resources.ts';
import type { Stage } from '../stages.ts';

/** Renders pages in Chromium. It runs untrusted code, so it has no permissions. */
export function browser(it: Resources): Function {
  const made = serviceFunction(it, 'browser', {
    // A scrape takes 120 s at most; the rest is for closing its browser.
    timeout: Duration.seconds(125),
    // Chromium is native for x86_64.
    architecture: Architecture.X86_64,
    environment: { API_HOST: it.apiHost, BROWSER_PROCESSES: it.stage.browserProcesses },
    permissions: [],
    layers: [chromiumLayer(it.stack, it.code.chromium)],
    ephemeralStorageSize: Size.gibibytes(1),
    // Tracing would need a permission.
    tracing: Tracing.DISABLED,
    // Lambda's reports contain the memory of each invocation.
    systemLogLevelV2: SystemLogLevel.INFO,
    ...(it.stage.tenantIsolation && { tenancyConfig: TenancyConfig.PER_TENANT }),
  });
  Validations.of(made).acknowledge(untraced);
  const warning = tooFewEnvironments(it.stage);
  if (warning !== undefined) Annotations.of(made).addWarningV2('sitefetch:tooFewEnvironments', warning);
  return made;
}

/**
 * Environments that Lambda keeps for each unit of concurrency with tenant isolation, idle ones included.
 * https://docs.aws.amazon.com/lambda/latest/dg/tenant-isolation-troubleshooting.html
 */
const ENVIRONMENTS_PER_CONCURRENCY = 2.5;

/** A warning if the stage's organizations need more environments than Lambda keeps. */
function tooFewEnvironments({ tenantIsolation, reservedConcurrency, expected }: Stage): string | undefined {
  const { browser: reserved } = reservedConcurrency;
  if (!tenantIsolation || reserved === undefined || expected === undefined) return undefined;
  const environments = Math.floor(reserved * ENVIRONMENTS_PER_CONCURRENCY);
  const needed = expected.organizations * expected.pagesAtOnce;
  if (needed <= environments) return undefined;
  return `${needed} environments are expected (${expected.organizations} organizations, ${expected.pagesAtOnce} pages each), but ${reserved} reserved browsers allow ${environments}. Further requests fail with busy.`;
}
