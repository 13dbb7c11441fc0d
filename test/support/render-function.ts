import { LambdaClient } from '@aws-sdk/client-lambda';
import { openInvokeApi } from '../../local/lambda/invoke-api.ts';
import { lambdaRenderer } from '../../shared/adapters/lambda-renderer.ts';
import type { GetPage } from '../../shared/ports.ts';
import { localFunction } from './local-functions.ts';
import { scrapeContext } from './scrape-context.ts';

type Options = NonNullable<Parameters<typeof localFunction>[1]> & { tenancy?: 'PER_TENANT' };

/** A function that runs `body` with `event`, `stream` and `context` in scope, and the renderer that calls it. */
export async function renderFunction(body: string, { tenancy, ...limits }: Options = {}) {
  await using resources = new AsyncDisposableStack();
  const source = `export const handler = awslambda.streamifyResponse(async (event, stream, context) => { ${body} });`;
  const { lambda } = resources.use(await localFunction(source, limits));
  const api = resources.use(await openInvokeApi(new Map([['browser', lambda]])));
  const client = new LambdaClient({
    endpoint: api.url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 1,
  });
  resources.defer(() => client.destroy());
  const getPage: GetPage = lambdaRenderer({
    client,
    functionName: 'browser',
    tenancy,
    premiumProxy: () => Promise.resolve(undefined),
  });
  const kept = resources.move();
  return {
    render: (url: string, timeout = 20_000, signal = AbortSignal.timeout(timeout)) =>
      getPage({ url, timeout, renderJs: true, premiumProxy: false }, scrapeContext(signal)),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
