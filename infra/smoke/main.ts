import { parseArgs } from 'node:util';
import { z } from 'zod';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { CloudFormationClient, paginateListStackResources } from '@aws-sdk/client-cloudformation';
import manifest from '../../package.json' with { type: 'json' };
import { explainFault } from '../explain-fault.ts';
import { readStackFile } from '../running-stack.ts';
import { RenderAnswer, RenderRequest } from '../../shared/contract/scrape/messages.ts';
import { checks } from './checks.ts';
import { openSession, type SmokeSession } from './session.ts';

/** The browser function, invoked directly: the API does not report how Chromium was started. */
type BrowserFunction = { client: LambdaClient; name: string };

async function deployedBrowser(stage: string): Promise<BrowserFunction> {
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

function localBrowser(endpoint: string, name: string): BrowserFunction {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  return { client: new LambdaClient({ endpoint, region: 'us-east-1', credentials }), name };
}

const TIMEOUT_MS = 30_000;
/** A tenant of its own, so that it shares no environment with an organization. */
const TENANT = 'smoke-test';
const WORDS = {
  one: 'Chromium renders in one process.',
  many: 'Chromium renders in several processes.',
} as const;

/** How the function started Chromium, in words. Throws if it failed or did not respond. */
async function chromiumStart(browser: BrowserFunction, url: string): Promise<string> {
  const request: RenderRequest = RenderRequest.parse({ requestId: TENANT, url, timeoutMs: TIMEOUT_MS });
  const Payload = Buffer.from(JSON.stringify(request));
  const command = { FunctionName: browser.name, Payload };
  const answer = await browser.client.send(new InvokeCommand(command)).catch((error: unknown) => {
    // The error of a function with tenant isolation, which only an invocation reveals.
    if (!(error instanceof Error) || error.name !== 'InvalidParameterValueException') throw error;
    return browser.client.send(new InvokeCommand({ ...command, TenantId: TENANT }));
  });
  const [line = ''] = Buffer.from(answer.Payload ?? [])
    .toString()
    .split('\n', 1);
  const { processes } = RenderAnswer.parse(JSON.parse(line));
  if (processes === undefined)
    throw new Error('Chromium does not start. See docs/runbook.md#chromium-does-not-start');
  return WORDS[processes];
}

const USAGE = `Usage: npm run smoke -- [--url URL --key KEY [--stage NAME]] [--target PAGE]

Tests a service from end to end. --url is the output ApiUrl, --key a key with at least 12 credits left, --target the page
to scrape (default: https://example.com/). With --stage and AWS credentials it also reports how that stage started
Chromium. Without --url and --key it tests the stack of npm start and its demo site.`;

const MAX_MS = 60_000;
const DEFAULT_PAGE = 'https://example.com/';
const OpenApi = z.object({ info: z.object({ version: z.string() }) });
const StackFile = z.object({
  base_url: z.string(),
  api_key: z.string(),
  demo_site: z.string(),
  endpoints: z.object({ lambda: z.string() }),
  functions: z.object({ browser: z.string() }),
});

const options = {
  url: { type: 'string' },
  key: { type: 'string' },
  target: { type: 'string' },
  stage: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

try {
  const { values } = parseArgs({ options });
  if (values.help) console.log(USAGE);
  else if (!(await smoke(values))) process.exitCode = 1;
} catch (error) {
  console.error(explainFault(error));
  process.exitCode = 1;
}

type Values = { url?: string; key?: string; target?: string; stage?: string };
type Smoked = { url: string; key: string; page: string; browser?: BrowserFunction };

async function smoke(values: Values): Promise<boolean> {
  const { url, key, page, browser } = await targetOf(values);
  const session = openSession({ url, key, page, signal: AbortSignal.timeout(MAX_MS) });
  console.log(`${url}, ${await versionOf(session)}, scraping ${page}\n`);
  let failures = 0;
  for (const [name, check] of Object.entries(checks)) {
    const startedAt = performance.now();
    const fault = await faultOf(() => check(session));
    const ms = Math.round(performance.now() - startedAt);
    console.log(fault === undefined ? `ok    ${name} (${ms} ms)` : `FAIL  ${name}: ${fault}`);
    if (fault !== undefined) failures += 1;
  }
  console.log(`\n${await startOf(browser, page)}`);
  console.log(failures === 0 ? 'All is well.' : `${failures} of ${Object.keys(checks).length} failed.`);
  return failures === 0;
}

/** By its OpenAPI document. Another version than this one is no fault: a service can be rolled back. */
async function versionOf({ withoutKey }: SmokeSession): Promise<string> {
  try {
    const { info } = OpenApi.parse(await (await withoutKey('/openapi.json')).json());
    return `version ${info.version}${info.version === manifest.version ? '' : ` (this is ${manifest.version})`}`;
  } catch {
    return 'version not known';
  }
}

async function startOf(browser: BrowserFunction | undefined, page: string): Promise<string> {
  if (!browser) return 'Name the --stage to see how Chromium was started.';
  return chromiumStart(browser, page).catch((error: unknown) => `Not known: ${explainFault(error)}`);
}

async function targetOf({ url, key, target, stage }: Values): Promise<Smoked> {
  const page = target ?? DEFAULT_PAGE;
  if (url !== undefined && key !== undefined)
    return { url, key, page, ...(stage !== undefined && { browser: await deployedBrowser(stage) }) };
  if (url !== undefined || key !== undefined) throw new Error('Give --url and --key together.');
  const { base_url, api_key, demo_site, endpoints, functions } = await readStackFile(StackFile);
  const browser = localBrowser(endpoints.lambda, functions.browser);
  return { url: base_url, key: api_key, page: target ?? `${demo_site}/js`, browser };
}

async function faultOf(check: () => Promise<void>): Promise<string | undefined> {
  try {
    await check();
    return undefined;
  } catch (error) {
    return described(error);
  }
}

function described(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
