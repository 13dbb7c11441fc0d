import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function } from 'aws-cdk-lib/aws-lambda';
import { callOf, readOf } from '../permissions.ts';
import type { Resources } from '../resources.ts';
import type { Stage } from '../stages.ts';

type Fetching = Pick<Resources, 'stage' | 'apiHost'>;

/** Variables of every function that fetches pages, by itself and through the browser. */
export const fetchingVariables = ({ stage, apiHost }: Fetching, browser: Function) => ({
  BROWSER_FUNCTION: browser.functionName,
  API_HOST: apiHost,
  ...(stage.tenantIsolation && { BROWSER_TENANCY: 'PER_TENANT' }),
  ...premiumVariables(stage),
});

/** Permissions of every function that fetches pages. */
export const fetchingPermissions = ({ stage }: Fetching, browser: Function): PolicyStatement[] => [
  callOf(browser),
  ...(stage.premiumProxySecretArn === undefined ? [] : [readOf(stage.premiumProxySecretArn)]),
];

/** Where the premium upstream's secret lies, if there is one. */
export function premiumVariables({ premiumProxySecretArn: arn, tenantIsolation }: Stage) {
  if (arn === undefined) return {};
  // A page that takes its browser over sees the next requests of the environment, upstream and all.
  if (!tenantIsolation) throw new Error('A stage with a premiumProxySecretArn needs tenantIsolation.');
  return { PREMIUM_PROXY_SECRET_ARN: arn };
}
