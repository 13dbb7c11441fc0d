import { CloudFormationClient, paginateListStackResources } from '@aws-sdk/client-cloudformation';
import { LambdaClient } from '@aws-sdk/client-lambda';

/** The browser function, invoked directly: the API does not report how Chromium was started. */
export type BrowserFunction = { client: LambdaClient; name: string };

export async function deployedBrowser(stage: string): Promise<BrowserFunction> {
  const StackName = `sitefetch-${stage}-service`;
  for await (const page of paginateListStackResources(
    { client: new CloudFormationClient() },
    { StackName },
  )) {
    const found = page.StackResourceSummaries?.find(
      ({ ResourceType: type, LogicalResourceId: id }) =>
        type === 'AWS::Lambda::Function' && id?.startsWith('BrowserFunction'),
    );
    if (found?.PhysicalResourceId) return { client: new LambdaClient(), name: found.PhysicalResourceId };
  }
  throw new Error(`Stack ${StackName} has no browser function.`);
}

export function localBrowser(endpoint: string, name: string): BrowserFunction {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  return { client: new LambdaClient({ endpoint, region: 'us-east-1', credentials }), name };
}
