import { Duration, Size, Validations } from 'aws-cdk-lib';
import { Architecture, type Function, TenancyConfig, Tracing } from 'aws-cdk-lib/aws-lambda';
import { untraced } from '../acknowledged-rules.ts';
import { chromiumLayer } from '../constructs/chromium-layer.ts';
import { serviceFunction } from '../constructs/service-function.ts';
import { permissionsOn } from '../permissions.ts';
import type { Resources } from '../resources.ts';

/** Renders pages in Chromium. It runs strangers' code, so it may do nothing else. */
export function browser(it: Resources): Function {
  const made = serviceFunction(it, 'browser', {
    // A scrape takes 120 s at most; the rest is for ending its browser.
    timeout: Duration.seconds(125),
    // Chromium is native for x86_64.
    architecture: Architecture.X86_64,
    environment: { API_HOST: it.apiHost, BROWSER_PROCESSES: it.stage.browserProcesses },
    permissions: permissionsOn(it).browser,
    layers: [chromiumLayer(it.stack, it.code.chromium)],
    ephemeralStorageSize: Size.gibibytes(1),
    // Sending traces takes a permission.
    tracing: Tracing.DISABLED,
    ...(it.stage.tenantIsolation && { tenancyConfig: TenancyConfig.PER_TENANT }),
  });
  Validations.of(made).acknowledge(untraced);
  return made;
}
