import { access, constants, mkdir, rm, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { randomInt } from 'node:crypto';
import { snakeKeys } from '../shared/contract/case.ts';
import { type KeptCounts, openDemoOrganization } from './demo-organization.ts';
import type { Surroundings } from './function-variables.ts';
import { assertSpace, isDiskFull } from './disk-full.ts';
import { openState, type KeptState } from './kept-state.ts';
import type { LambdaFunction } from './lambda/lambda-function.ts';
import { openPort } from './open-port.ts';
import { openServices, type Services } from './open-services.ts';
import { serveApis } from './serve-apis.ts';
import type { StackOptions } from './stack-options.ts';
import type { ResourceNames } from './template/resource-names.ts';
import { pollQueue } from './event-sources.ts';
import type { KeptWork } from './release-kept-work.ts';
import { runSchedule } from './schedule.ts';
import type { Blueprint } from './template/blueprint.ts';
import { startDemoSite } from './demo-site.ts';
import type { Listening } from './listen.ts';

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
  try {
    for (const name of ['logs', 'tmp', 'stack.json']) {
      await rm(join(localDir, name), { recursive: true, force: true });
    }
    await mkdir(localDir, { recursive: true });
    await access(localDir, constants.W_OK);
  } catch (cause) {
    throw isDiskFull(cause) ? cause : new Error(unwritable(localDir, cause), { cause });
  }
  await assertSpace(localDir);
}

const unwritable = (folder: string, cause: unknown) =>
  `LOCAL_DIR=${folder} cannot be written. Set it to a folder of your own: ${String(cause)}`;

function functionIn(functions: ReadonlyMap<string, LambdaFunction>, nameOrArn: string): LambdaFunction {
  const found = functions.get(nameOrArn.split(':').at(-1) ?? '');
  if (!found) throw new Error(`There is no function ${nameOrArn}.`);
  return found;
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

const StackFile = z.object({ base_url: z.string(), pid: z.number() });

/** Writes the facts of a running stack for other programs, as JSON in its folder. Removed when it stops. */
async function writeStackFile(folder: string, content: object): Promise<AsyncDisposable> {
  const file = join(folder, 'stack.json');
  // It holds an API key.
  await writeFile(file, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  return { [Symbol.asyncDispose]: () => rm(file, { force: true }) };
}

/** Throws if a stack runs on this folder. The file of a killed one does not count. */
async function assertNoneRuns(folder: string): Promise<void> {
  const text = await readFile(join(folder, 'stack.json'), 'utf8').catch(() => '{}');
  const { success, data } = StackFile.safeParse(JSON.parse(text));
  if (!success) return;
  const answers = await fetch(data.base_url).then(
    () => true,
    () => false,
  );
  if (!answers) return;
  throw new Error(
    `A local stack (process ${data.pid}) already runs at ${data.base_url}. Stop it, or set LOCAL_DIR and PORT.`,
  );
}

type Options = {
  blueprint: Pick<Blueprint, 'eventSources' | 'queues' | 'schedules'>;
  sqs: string;
  functionOf: (arn: string) => LambdaFunction;
  report: (line: string) => void;
  /** What the last run left, which the sweeper takes up at once. */
  kept: Pick<KeptWork, 'unfinished' | 'released'>;
};

/** Starts the queues and schedules that invoke functions. */
function runEvents(options: Options): (AsyncDisposable | Disposable)[] {
  const { blueprint, sqs, functionOf, report, kept } = options;
  const schedule = { targetOf: functionOf, report, isAtOnce: kept.unfinished + kept.released > 0 };
  const polled = blueprint.eventSources.map((source) => {
    const queue = blueprint.queues.find(({ arn }) => arn === source.EventSourceArn);
    if (!queue) throw new Error(`There is no queue ${source.EventSourceArn} to poll.`);
    const target = functionOf(source.FunctionName);
    return pollQueue({ source, queueUrl: queue.url, target, endpoint: sqs, report });
  });
  return [...polled, ...blueprint.schedules.map((rule) => runSchedule(rule, schedule))];
}

/** Below the ports that Linux gives to connections, which could hold it when the next run wants it. */
const KEPT_PORTS = [20_000, 32_768] as const;

/** On the port of the last run if it is free, because kept jobs name it. */
async function openDemoSite({ demo }: KeptState, report: (line: string) => void): Promise<Listening> {
  if (demo === undefined) return onNewPort();
  return startDemoSite(demo.site_port).catch(() => {
    report(`Port ${demo.site_port} is in use, so the demo site moves to another`);
    return onNewPort();
  });
}

function onNewPort(): Promise<Listening> {
  return startDemoSite(randomInt(...KEPT_PORTS)).catch(() => startDemoSite());
}
