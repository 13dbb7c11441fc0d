import { CloudFormationClient, paginateListStackResources } from '@aws-sdk/client-cloudformation';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { RenderAnswer, RenderRequest } from '../../shared/contract/messages.ts';

/** The browser function, asked by its operator and past the API, which does not tell its callers how it renders. */
export type BrowserFunction = { client: LambdaClient; name: string };

const TIMEOUT_MS = 30_000;
/** An organization of no one's, so that the environment in which this page is rendered renders no other's. */
const TENANT = 'smoke-test';
const WORDS = {
  one: 'Chromium renders in one process.',
  many: 'Chromium renders in several processes.',
} as const;

/** In which way the function started Chromium, in words. Throws if it could not, or did not answer. */
export async function chromiumStart(browser: BrowserFunction, url: string): Promise<string> {
  const request: RenderRequest = RenderRequest.parse({ requestId: TENANT, url, timeoutMs: TIMEOUT_MS });
  const Payload = Buffer.from(JSON.stringify(request));
  const command = { FunctionName: browser.name, Payload };
  const answer = await browser.client.send(new InvokeCommand(command)).catch((error: unknown) => {
    // Said of a function whose environments are kept apart by tenant, which a call without one cannot tell beforehand.
    if (!(error instanceof Error) || error.name !== 'InvalidParameterValueException') throw error;
    return browser.client.send(new InvokeCommand({ ...command, TenantId: TENANT }));
  });
  const [line = ''] = Buffer.from(answer.Payload ?? [])
    .toString()
    .split('\n', 1);
  const { processes } = RenderAnswer.parse(JSON.parse(line));
  if (processes === undefined)
    throw new Error('Chromium does not start: docs/runbook.md#chromium-does-not-start');
  return WORDS[processes];
}

/** The browser function of a deployed stage, by the credentials of whoever runs this. */
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

/** The browser function of the stack on this machine. */
export function localBrowser(endpoint: string, name: string): BrowserFunction {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  return { client: new LambdaClient({ endpoint, region: 'us-east-1', credentials }), name };
}
