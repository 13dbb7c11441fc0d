import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { environments } from '../shared/config.ts';
import { LOCAL_CREDENTIALS } from './create-resources.ts';
import type { FunctionBlueprint } from './template/blueprint.ts';
import { REGION } from './template/physical.ts';

export type Surroundings = {
  endpoints: { dynamodb: string; sqs: string; s3: string; lambda: string; secrets: string };
  /** The secret that is the URL of the premium upstream. */
  premiumProxySecretArn: string;
  /** `host:port` of each private target that may be scraped. */
  egressAllow: string[];
  path: string;
};

/**
 * The environment of a function: the template's variables, those of the Lambda runtime, and where AWS is on this
 * machine. https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html
 */
export function functionVariables(
  { label, variables, layers }: FunctionBlueprint,
  { endpoints, egressAllow, premiumProxySecretArn, path }: Surroundings,
): Record<string, string> {
  // Layers cannot be laid over /opt here, so what would lie at /opt/chromium is named where it is.
  const chromium = layers.map((layer) => join(layer, 'chromium')).find((folder) => existsSync(folder));
  return {
    ...variables,
    PATH: path,
    LANG: 'en_US.UTF-8',
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_REGION: REGION,
    AWS_DEFAULT_REGION: REGION,
    // Says whose call it is, as the role does on AWS.
    AWS_ACCESS_KEY_ID: label,
    AWS_SECRET_ACCESS_KEY: LOCAL_CREDENTIALS.secretAccessKey,
    AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb,
    AWS_ENDPOINT_URL_SQS: endpoints.sqs,
    AWS_ENDPOINT_URL_S3: endpoints.s3,
    AWS_ENDPOINT_URL_LAMBDA: endpoints.lambda,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoints.secrets,
    ...(readsPremiumProxy(label) && { PREMIUM_PROXY_SECRET_ARN: premiumProxySecretArn }),
    EGRESS_ALLOW: egressAllow.join(','),
    ...(chromium !== undefined && { CHROMIUM_DIR: chromium }),
  };
}

function readsPremiumProxy(label: string): boolean {
  const [, environment] = Object.entries(environments).find(([name]) => name === label) ?? [];
  return environment !== undefined && 'PREMIUM_PROXY_SECRET_ARN' in environment.shape;
}
