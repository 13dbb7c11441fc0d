import { routes } from '../../shared/api/routes.ts';
import { environments, type FunctionName } from '../../shared/config.ts';

/** `sam local invoke` cannot stream, so functions that do export a second handler. */
export function bufferedHandler(name: FunctionName): string {
  const streams = name === 'browser' || routes.some((route) => route.function === name);
  return streams ? 'index.buffered' : 'index.handler';
}

/** The services that the local stack imitates. Empty, the SDK calls AWS. */
const ENDPOINTS = ['DYNAMODB', 'SQS', 'S3', 'LAMBDA', 'SECRETS_MANAGER', 'COGNITO_IDENTITY_PROVIDER'];

/** SAM sets only variables that the template declares: optional ones and endpoints are declared as empty. */
export function declaredForSam(
  name: FunctionName,
  environment: Readonly<Record<string, string>>,
): Record<string, string> {
  const own = Object.keys(environments[name].shape).filter((key) => !key.startsWith('AWS_LAMBDA_'));
  const empty = [...own, ...ENDPOINTS.map((service) => `AWS_ENDPOINT_URL_${service}`)].map((key) => [
    key,
    '',
  ]);
  return {
    ...(Object.fromEntries(empty) as Record<string, string>),
    // SAM sets a made-up AWS_ACCOUNT_ID, which the SDK would make part of DynamoDB's host name.
    AWS_ACCOUNT_ID_ENDPOINT_MODE: 'disabled',
    ...environment,
  };
}
