import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { startDemoUpstream } from './demo-upstream.ts';
import type { Emulators } from './emulators.ts';
import type { Surroundings } from './function-variables.ts';
import { openInvokeApi } from './lambda/invoke-api.ts';
import type { LambdaFunction } from './lambda/lambda-function.ts';
import { openRelays, relayed } from './relays.ts';
import { listen, type Listening } from './listen.ts';
import type { LocalModel } from './stack-options.ts';
import { REGION, ACCOUNT } from './template/physical.ts';

const PREMIUM_PROXY = 'premium-proxy';

type Options = {
  emulators: Pick<Emulators, 'dynamodb' | 'sqs' | 's3'>;
  cognito: string;
  apiUrl: string;
  dashboardUrl: string;
  emulatorsHost?: string | undefined;
  before: (url: string) => Promise<string>;
  /** The functions that may be invoked, by name. More may be added later. */
  functions: ReadonlyMap<string, LambdaFunction>;
  egressAllow: string[];
  demoPage: string;
  /** Values of the templates' secrets, by name. */
  secrets: Readonly<Record<string, string>>;
  premiumProxyUrl?: string | undefined;
  model?: LocalModel | undefined;
  path: string;
};

/** Opens the services that functions call besides the emulators: Lambda, secrets, a premium upstream. */
export async function openSurroundings(options: Options): Promise<Surroundings & AsyncDisposable> {
  const { emulators, cognito, before, functions, secrets: kept, premiumProxyUrl, ...rest } = options;
  const { apiUrl, dashboardUrl, emulatorsHost, egressAllow, demoPage, model, path } = rest;
  await using opening = new AsyncDisposableStack();
  const invokeApi = opening.use(await openInvokeApi(functions));
  const demoUpstream = opening.use(await startDemoUpstream({ allow: egressAllow }));
  const upstream = premiumProxyUrl ?? relayed(demoUpstream.url, emulatorsHost);
  const secrets = opening.use(await startSecrets({ ...kept, [PREMIUM_PROXY]: upstream }));
  const { dynamodb, sqs, s3 } = emulators;
  const others = {
    lambda: await before(invokeApi.url),
    secrets: secrets.url,
    cognito: await before(cognito),
  };
  const endpoints = { dynamodb, sqs, s3, ...others };
  opening.use(await openRelays(emulatorsHost, [...Object.values(endpoints), demoPage, demoUpstream.url]));
  const open = opening.move();
  return {
    endpoints,
    apiUrl,
    dashboardUrl,
    premiumProxySecretArn: secrets.arnOf(PREMIUM_PROXY),
    egressAllow,
    demoPage,
    model,
    path,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

type Secrets = Listening & { arnOf: (name: string) => string };

/**
 * Implements GetSecretValue:
 * https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_GetSecretValue.html
 */
export async function startSecrets(values: Readonly<Record<string, string>>): Promise<Secrets> {
  const arnOf = (name: string) => `arn:aws:secretsmanager:${REGION}:${ACCOUNT}:secret:${name}`;
  const known = new Map(Object.entries(values).map(([name, value]) => [arnOf(name), value]));
  const answer = (id: unknown) => {
    const value = known.get(String(id));
    return value === undefined
      ? { status: 400, body: { __type: 'ResourceNotFoundException' } }
      : { status: 200, body: { ARN: id, SecretString: value } };
  };
  const server = createServer((request, response) => {
    json(request).then(
      (body) => {
        const { status, body: sent } = answer((body as { SecretId?: unknown }).SecretId);
        response
          .writeHead(status, { 'Content-Type': 'application/x-amz-json-1.1' })
          .end(JSON.stringify(sent));
      },
      () => response.destroy(),
    );
  });
  return { ...(await listen(server)), arnOf };
}
