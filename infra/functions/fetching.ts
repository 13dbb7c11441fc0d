import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function } from 'aws-cdk-lib/aws-lambda';
import { callOf, readOf } from '../permissions.ts';
import type { Resources } from '../resources.ts';
import type { Stage } from '../stages.ts';

/** The bucket deletes pages after that. */
const MAX_CACHE_DAYS = 30;

type Fetching = Pick<Resources, 'stage' | 'apiHost'>;
/** What a function that fetches pages calls. */
export type Callees = { browser: Function; model: Function | undefined };

export const fetchingVariables = ({ stage, apiHost }: Fetching, { browser, model }: Callees) => ({
  BROWSER_FUNCTION: browser.functionName,
  API_HOST: apiHost,
  CACHE_DAYS: String(stage.cacheDays ?? MAX_CACHE_DAYS),
  ...(stage.tenantIsolation && { BROWSER_TENANCY: 'PER_TENANT' }),
  ...premiumVariables(stage),
  ...modelVariables(model),
});

export const modelVariables = (model: Function | undefined) =>
  model && { MODEL_FUNCTION: model.functionName };

export const fetchingPermissions = ({ stage }: Fetching, { browser, model }: Callees): PolicyStatement[] => [
  callOf(browser),
  ...(model ? [callOf(model)] : []),
  ...(stage.premiumProxySecretArn === undefined ? [] : [readOf(stage.premiumProxySecretArn)]),
];

export function premiumVariables({ premiumProxySecretArn: arn, tenantIsolation }: Stage) {
  if (arn === undefined) return {};
  // A page that takes over its browser could read the upstream of later requests in the same environment.
  if (!tenantIsolation) throw new Error('A stage with a premiumProxySecretArn needs tenantIsolation.');
  return { PREMIUM_PROXY_SECRET_ARN: arn };
}
