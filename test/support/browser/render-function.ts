import { lambdaRenderer } from '../../../shared/adapters/web/lambda-renderer.ts';
import type { GetPage } from '../../../shared/ports/scrape.ts';
import { localFunction } from '../stack/local-functions.ts';
import { scrapeContext } from '../world/scrape-context.ts';

type Options = NonNullable<Parameters<typeof localFunction>[1]> & { tenancy?: 'PER_TENANT' };

/** A function that runs `body` with `event`, `stream` and `context` in scope, and a renderer for it. */
export async function renderFunction(body: string, { tenancy, ...limits }: Options = {}) {
  const source = `export const handler = awslambda.streamifyResponse(async (event, stream, context) => { ${body} });`;
  const { client, lambda, ...fn } = await localFunction(source, limits);
  const getPage: GetPage = lambdaRenderer({
    client,
    functionName: lambda.spec.name,
    tenancy,
    premiumProxy: () => Promise.resolve(undefined),
  });
  return {
    render: (url: string, timeout = 20_000, signal = AbortSignal.timeout(timeout)) =>
      getPage(
        { url, timeout, renderJs: true, premiumProxy: false },
        { ...scrapeContext(signal), deadlineAt: new Date(Date.now() + timeout) },
      ),
    [Symbol.asyncDispose]: fn[Symbol.asyncDispose],
  };
}
