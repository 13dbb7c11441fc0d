import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { environments } from '../shared/config.ts';
import { LOCAL_CREDENTIALS } from './create-resources.ts';
import type { FunctionBlueprint } from './template/blueprint.ts';
import type { LocalModel } from './stack-options.ts';
import { REGION } from './template/physical.ts';

export type Surroundings = {
  endpoints: { dynamodb: string; sqs: string; s3: string; lambda: string; secrets: string; cognito: string };
  apiUrl: string;
  dashboardUrl?: string;
  premiumProxySecretArn: string;
  egressAllow: string[];
  model?: LocalModel | undefined;
  demoPage?: string;
  path: string;
};

/**
 * The environment of a function: the variables of the template and of the Lambda runtime, and the local AWS
 * endpoints. https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html
 */
export function functionVariables(
  { label, variables, layers }: FunctionBlueprint,
  {
    endpoints,
    apiUrl,
    dashboardUrl,
    egressAllow,
    demoPage,
    premiumProxySecretArn,
    model,
    path,
  }: Surroundings,
): Record<string, string> {
  // Layers are not mounted at /opt here, so CHROMIUM_DIR names the layer's own folder.
  const chromium = layers.map((layer) => join(layer, 'chromium')).find((folder) => existsSync(folder));
  return {
    ...{ ...variables, ...modelVariables({ label, variables }, model) },
    PATH: path,
    LANG: 'en_US.UTF-8',
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_REGION: REGION,
    AWS_DEFAULT_REGION: REGION,
    // Identifies the caller, as the role does on AWS.
    AWS_ACCESS_KEY_ID: label,
    AWS_SECRET_ACCESS_KEY: LOCAL_CREDENTIALS.secretAccessKey,
    AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb,
    AWS_ENDPOINT_URL_SQS: endpoints.sqs,
    AWS_ENDPOINT_URL_S3: endpoints.s3,
    AWS_ENDPOINT_URL_LAMBDA: endpoints.lambda,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoints.secrets,
    AWS_ENDPOINT_URL_COGNITO_IDENTITY_PROVIDER: endpoints.cognito,
    ...('API_URL' in variables && { API_URL: apiUrl }),
    ...(dashboardUrl !== undefined && reads(label, 'DASHBOARD_URL') && { DASHBOARD_URL: dashboardUrl }),
    ...(reads(label, 'PREMIUM_PROXY_SECRET_ARN') && { PREMIUM_PROXY_SECRET_ARN: premiumProxySecretArn }),
    EGRESS_ALLOW: egressAllow.join(','),
    ...(demoPage !== undefined && { DEMO_PAGE: demoPage }),
    ...(chromium !== undefined && { CHROMIUM_DIR: chromium }),
  };
}

function reads(label: string, variable: 'DASHBOARD_URL' | 'PREMIUM_PROXY_SECRET_ARN'): boolean {
  const [, environment] = Object.entries(environments).find(([name]) => name === label) ?? [];
  return environment !== undefined && variable in environment.shape;
}

type Own = Pick<FunctionBlueprint, 'label' | 'variables'>;

/** The endpoint for the model function, and whether the others have it to call. */
function modelVariables({ label, variables }: Own, model: LocalModel | undefined): Record<string, string> {
  // Empty is absent, and replaces what a template for SAM has.
  if (!model) return 'MODEL_FUNCTION' in variables ? { MODEL_FUNCTION: '' } : {};
  const { MODEL_KEY: key, ...endpoint } = model;
  return label === 'model' ? { ...endpoint, ...(key !== undefined && { MODEL_KEY: key }) } : {};
}
