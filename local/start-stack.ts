import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { openDemoOrganization, type KeptCounts } from './demo-organization.ts';
import { startDemoSite } from './demo-site.ts';
import { frontPage } from './front-page.ts';
import type { Surroundings } from './function-variables.ts';
import { serveGateway } from './gateway/gateway.ts';
import { openState, type KeptState } from './kept-state.ts';
import type { LambdaFunction } from './lambda/lambda-function.ts';
import type { Listening } from './listen.ts';
import { openPort } from './open-port.ts';
import { openServices, type Services } from './open-services.ts';
import { runEvents } from './run-events.ts';
import { functionIn } from './function-in.ts';
import { assertNoneRuns, writeStackFile } from './stack-file.ts';
import type { Blueprint } from './template/blueprint.ts';
import type { ResourceNames } from './template/resource-names.ts';

export type StackOptions = {
  /** 0 for any free one. */
  port: number;
  /** 0, which is the default, for any free one. */
  dashboardPort?: number;
  host?: string;
  localDir: string;
  fresh?: boolean;
  /** The demo key, by default that of the last run or a new one. */
  apiKey?: string | undefined;
  /** `host:port` of private targets that may be scraped besides the demo site. */
  egressAllow: string[];
  path: string;
  /** URL of the premium upstream, by default a demo one on this machine. */
  premiumProxyUrl?: string | undefined;
  /** A cloud assembly to use; without it the stacks are synthesised. */
  assembly?: string;
  /** Returns the URL to call instead of this one of an AWS service. */
  before?: ((url: string) => Promise<string>) | undefined;
  /** Starts each function at its first event instead. */
  isCold?: boolean;
  /** Called with one line per stage of the start, per request, per end of a job and per fault. */
  report: (line: string) => void;
  signal?: AbortSignal;
};

export type LocalStack = ResourceNames & {
  baseUrl: string;
  dashboardUrl: string;
  apiKey: string;
  demoSite: string;
  endpoints: Surroundings['endpoints'];
  kept: KeptCounts;
  /** Process ids of a function's execution environments, by its short name. */
  pids: () => Record<string, number[]>;
} & AsyncDisposable;

/** Starts everything that the templates declare, on this machine alone. Resolves when it is ready. */
export async function startStack(options: StackOptions): Promise<LocalStack> {
  const { host = '127.0.0.1', report } = options;
  const localDir = resolve(options.localDir);
  await assertNoneRuns(localDir);
  await using starting = new AsyncDisposableStack();
  const gateway = starting.use(await openPort(options.port, host));
  const dashboard = starting.use(await openPort(options.dashboardPort ?? 0, host, 'DASHBOARD_PORT'));
  await emptyFolders(localDir);
  const state = await openState(localDir, options.fresh ?? false);
  const demoSite = starting.use(await openDemoSite(state, report));
  const services = starting.use(
    await openServices(
      { ...options, port: gateway.port, dashboardPort: dashboard.port, host },
      localDir,
      state,
      demoSite.url,
    ),
  );
  const { blueprint, emulators, functions, names, endpoints, lines } = services;
  const { apiKey, kept } = await openAccount(options, state, services, demoSite.url);
  if (!options.isCold) await warmUp(functions, report);
  options.signal?.throwIfAborted();

  const functionOf = (arn: string) => functionIn(functions, arn);
  for (const it of runEvents({ blueprint, sqs: emulators.sqs, functionOf, report })) starting.use(it);
  const front = frontPage({ apiKey, demoSite: demoSite.url });
  const { began } = lines;
  const common = { functionOf, began, report };
  serveGateway(gateway.server, {
    ...{ ...common, front },
    blueprint: apiIn(blueprint, (api) => !isDashboard(api)),
  });
  serveGateway(dashboard.server, { ...common, blueprint: apiIn(blueprint, isDashboard) });
  // The first to open are the first to close.
  for (const port of [gateway, dashboard]) starting.use(port);
  const facts = { endpoints, ...names };
  const urls = { base_url: gateway.url, dashboard_url: dashboard.url };
  const open = { ...urls, api_key: apiKey, demo_site: demoSite.url, ...facts };
  starting.use(await writeStackFile(localDir, { ...open, pid: process.pid }));
  const running = starting.move();
  return {
    baseUrl: gateway.url,
    dashboardUrl: dashboard.url,
    apiKey,
    demoSite: demoSite.url,
    kept,
    ...facts,
    pids: () => Object.fromEntries([...functions.values()].map((it) => [it.spec.label, it.pids()])),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** The dashboard has an API of its own, on a port of its own. */
const isDashboard = (api: string) => api.endsWith('-dashboard');

function apiIn({ routes, gatewayResponses }: Blueprint, isWanted: (api: string) => boolean) {
  return {
    routes: routes.filter(({ api }) => isWanted(api)),
    gatewayResponses: gatewayResponses.filter(({ RestApiId = '' }) => isWanted(RestApiId)),
  };
}

/** On the port of the last run if it is free, because kept jobs name it. */
async function openDemoSite({ demo }: KeptState, report: (line: string) => void): Promise<Listening> {
  if (demo === undefined) return startDemoSite();
  return startDemoSite(demo.site_port).catch(() => {
    report(`Port ${demo.site_port} is in use now, so the demo site moves to another`);
    return startDemoSite();
  });
}

/** The demo organization's key, with the site's port kept for the next run. */
async function openAccount(
  { apiKey }: StackOptions,
  { demo, keep }: KeptState,
  { endpoints, names }: Pick<Services, 'endpoints' | 'names'>,
  demoSite: string,
) {
  const endpoint = endpoints.dynamodb;
  const account = await openDemoOrganization({ endpoint, tables: names.tables, kept: demo, apiKey });
  const { org_id, api_key, kept } = account;
  await keep({ org_id, api_key, site_port: Number(new URL(demoSite).port) });
  return { apiKey: api_key, kept };
}

async function warmUp(functions: ReadonlyMap<string, LambdaFunction>, report: (line: string) => void) {
  report(`Starting ${functions.size} functions`);
  await Promise.all([...functions.values()].map((it) => it.warmUp()));
}

/** Deletes logs and temporary files of an earlier run, but keeps its state and cloud assembly. */
async function emptyFolders(localDir: string): Promise<void> {
  for (const name of ['logs', 'tmp', 'stack.json']) {
    await rm(join(localDir, name), { recursive: true, force: true });
  }
  await mkdir(localDir, { recursive: true });
}
