import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { snakeKeys } from '../shared/contract/case.ts';
import type { KeptCounts } from './demo-organization.ts';
import type { Surroundings } from './function-variables.ts';
import { assertSpace } from './disk-full.ts';
import { openState } from './kept-state.ts';
import type { LambdaFunction } from './lambda/lambda-function.ts';
import { openAccount } from './open-account.ts';
import { openDemoSite } from './open-demo-site.ts';
import { openPort } from './open-port.ts';
import { openServices } from './open-services.ts';
import { runEvents } from './run-events.ts';
import { functionIn } from './function-in.ts';
import { serveApis } from './serve-apis.ts';
import { assertNoneRuns, writeStackFile } from './stack-file.ts';
import type { StackOptions } from './stack-options.ts';
import type { ResourceNames } from './template/resource-names.ts';

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
      { ...options, host, port: gateway.port, dashboardPort: dashboard.port, demoSite: demoSite.url },
      localDir,
      state,
    ),
  );
  const { blueprint, emulators, functions, names, endpoints, lines } = services;
  const { apiKey, kept } = await openAccount(options, state, services, demoSite.url);
  if (!options.isCold) await warmUp(functions, report);
  options.signal?.throwIfAborted();

  const functionOf = (arn: string) => functionIn(functions, arn);
  for (const it of runEvents({ blueprint, sqs: emulators.sqs, functionOf, report, kept })) starting.use(it);
  const access = { baseUrl: gateway.url, dashboardUrl: dashboard.url, apiKey, demoSite: demoSite.url };
  serveApis({ gateway, dashboard }, { ...services, functionOf, began: lines.began, report, front: access });
  // The first to open are the first to close.
  for (const port of [gateway, dashboard]) starting.use(port);
  const facts = { endpoints, ...names };
  const more = { emulators_host: options.emulatorsHost, specs: specsOf(functions), pid: process.pid };
  starting.use(await writeStackFile(localDir, { ...snakeKeys(access), ...facts, ...more }));
  const running = starting.move();
  return {
    ...access,
    ...facts,
    kept,
    pids: () => Object.fromEntries([...functions.values()].map((it) => [it.spec.label, it.pids()])),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** How each function runs, by its short name. */
function specsOf(functions: ReadonlyMap<string, LambdaFunction>) {
  return Object.fromEntries([...functions.values()].map(({ spec }) => [spec.label, spec]));
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
  await assertSpace(localDir);
}
