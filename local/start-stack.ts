import { mkdir, rm } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { createDemoOrganization } from './demo-organization.ts';
import { startDemoSite } from './demo-site.ts';
import { createResources } from './create-resources.ts';
import { startEmulators, type Emulators } from './emulators.ts';
import { pollQueue } from './event-sources.ts';
import { openFunctionLogs, type FunctionLogs } from './function-logs.ts';
import { functionVariables, type Surroundings } from './function-variables.ts';
import { openGateway } from './gateway/gateway.ts';
import { runFunction, type LambdaFunction } from './lambda/lambda-function.ts';
import { assertPortIsFree } from './listen.ts';
import { openSurroundings } from './open-surroundings.ts';
import { runSchedule } from './schedule.ts';
import { assertNoneRuns, writeStackFile } from './stack-file.ts';
import { synthesise } from './synthesise.ts';
import { readAssembly } from './template/assembly.ts';
import { blueprintOf, type Blueprint, type FunctionBlueprint } from './template/blueprint.ts';

export type StackOptions = {
  /** 0 for any free one. */
  port: number;
  localDir: string;
  /** `host:port` of private targets that may be scraped besides the demo site. */
  egressAllow: string[];
  path: string;
  /** The premium upstream, as a vendor gives it out; without it a demo one of this machine. */
  premiumProxyUrl?: string | undefined;
  /** A cloud assembly that is there already; without it the stacks are synthesised. */
  assembly?: string;
  /** What functions call in place of this URL of a service of AWS. */
  before?: ((url: string) => Promise<string>) | undefined;
  /** Called with one line per request and per fault. */
  report: (line: string) => void;
  /** Aborts the start. */
  signal?: AbortSignal;
};

export type LocalStack = {
  baseUrl: string;
  apiKey: string;
  demoSite: string;
  endpoints: Surroundings['endpoints'];
  /** Names and URLs by what the functions call them: `JOBS_TABLE` is `tables.jobs`. */
  tables: Record<string, string>;
  queues: Record<string, string>;
  buckets: Record<string, string>;
  /** Names of functions by their folders. */
  functions: Record<string, string>;
  /** Process ids of a function's execution environments, by its short name. */
  pids: () => Record<string, number[]>;
} & AsyncDisposable;

/** AWS's default for an account. https://docs.aws.amazon.com/lambda/latest/dg/lambda-concurrency.html */
const ACCOUNT_CONCURRENCY = 1_000;
const MIN_ENVIRONMENTS = 4;
const MAX_ENVIRONMENTS = 32;
const MEBIBYTE = 2 ** 20;

/** Starts everything that the templates declare, on this machine alone. Ready when it resolves. */
export async function startStack(options: StackOptions): Promise<LocalStack> {
  const { port, egressAllow, premiumProxyUrl, path, report, signal = new AbortController().signal } = options;
  const localDir = resolve(options.localDir);
  await assertNoneRuns(localDir);
  await assertPortIsFree(port);
  await emptyFolders(localDir);
  await using starting = new AsyncDisposableStack();

  const assembly = options.assembly ?? join(localDir, 'cdk.out');
  const [emulators, demoSite] = await Promise.all([
    startEmulators().then((it) => starting.use(it)),
    startDemoSite().then((it) => starting.use(it)),
    options.assembly === undefined ? synthesise({ output: assembly, path, signal }) : undefined,
  ]);
  const { before = (url: string) => Promise.resolve(url) } = options;
  const seen = await seenThrough(before, emulators);
  const blueprint = blueprintOf(await readAssembly(assembly), seen);
  await createResources(blueprint, emulators);

  const logs = starting.use(await openFunctionLogs(join(localDir, 'logs')));
  const functions = new Map<string, LambdaFunction>();
  const allowed = [new URL(demoSite.url).host, ...egressAllow];
  const surroundings = starting.use(
    await openSurroundings({
      emulators: seen,
      before,
      functions,
      egressAllow: allowed,
      premiumProxyUrl,
      path,
    }),
  );
  const { endpoints } = surroundings;
  for (const it of blueprint.functions) {
    functions.set(it.name, run(it, surroundings, logs, join(localDir, 'tmp')));
  }
  starting.defer(async () => {
    await Promise.all([...functions.values()].map((it) => it.stop()));
  });
  const named = namesIn(blueprint);
  const [apiKey] = await Promise.all([
    createDemoOrganization(endpoints.dynamodb, named.tables['accounts'] ?? ''),
    ...[...functions.values()].map((it) => it.warmUp()),
  ]);
  signal.throwIfAborted();

  const functionOf = (arn: string) => byArn(functions, arn);
  for (const it of eventSources(blueprint, emulators, functionOf, report)) starting.use(it);
  const gateway = starting.use(await openGateway({ port, blueprint, functionOf, report }));
  const facts = { endpoints, ...named };
  const file = {
    base_url: gateway.url,
    api_key: apiKey,
    demo_site: demoSite.url,
    ...facts,
    pid: process.pid,
  };
  starting.use(await writeStackFile(localDir, file));
  const running = starting.move();
  return {
    baseUrl: gateway.url,
    apiKey,
    demoSite: demoSite.url,
    ...facts,
    pids: () => Object.fromEntries([...functions.values()].map((it) => [it.spec.label, it.pids()])),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** The emulators as functions see them. */
async function seenThrough(before: (url: string) => Promise<string>, { dynamodb, sqs, s3 }: Emulators) {
  return { dynamodb: await before(dynamodb), sqs: await before(sqs), s3: await before(s3) };
}

/** Nothing of an earlier run is kept but what was synthesised, which is checked against the code again. */
async function emptyFolders(localDir: string): Promise<void> {
  for (const name of ['logs', 'tmp', 'stack.json']) {
    await rm(join(localDir, name), { recursive: true, force: true });
  }
  await mkdir(localDir, { recursive: true });
}

/** As many environments as the memory of this machine holds, should all use what they may. */
function run(
  blueprint: FunctionBlueprint,
  surroundings: Surroundings,
  logs: FunctionLogs,
  temporary: string,
): LambdaFunction {
  const fitting = Math.floor(totalmem() / MEBIBYTE / blueprint.memoryMb);
  return runFunction({
    spec: { ...blueprint, variables: functionVariables(blueprint, surroundings) },
    reservedConcurrency: blueprint.reservedConcurrency ?? ACCOUNT_CONCURRENCY,
    maxEnvironments: Math.min(Math.max(fitting, MIN_ENVIRONMENTS), MAX_ENVIRONMENTS),
    temporary,
    log: logs.of(blueprint.label),
  });
}

function eventSources(
  { eventSources: sources, queues, schedules }: Blueprint,
  { sqs }: Emulators,
  functionOf: (arn: string) => LambdaFunction,
  report: (line: string) => void,
): (AsyncDisposable | Disposable)[] {
  const polled = sources.map((source) => {
    const queue = queues.find(({ arn }) => arn === source.EventSourceArn);
    if (!queue) throw new Error(`There is no queue ${source.EventSourceArn} to poll.`);
    const target = functionOf(source.FunctionName);
    return pollQueue({ source, queueUrl: queue.url, target, endpoint: sqs, report });
  });
  return [...polled, ...schedules.map((rule) => runSchedule(rule, functionOf, report))];
}

function byArn(functions: ReadonlyMap<string, LambdaFunction>, nameOrArn: string): LambdaFunction {
  const found = functions.get(nameOrArn.split(':').at(-1) ?? '');
  if (!found) throw new Error(`There is no function ${nameOrArn}.`);
  return found;
}

/** Functions by their folders, other resources by the names of the variables through which functions know them. */
function namesIn({ functions }: Blueprint) {
  const named = Object.fromEntries(functions.map(({ label, name }) => [label, name]));
  const variables = functions.flatMap((it) => Object.entries(it.variables));
  const endingIn = (suffix: string) =>
    Object.fromEntries(
      variables
        .filter(([name]) => name.endsWith(suffix))
        .map(([name, value]) => [name.slice(0, -suffix.length).toLowerCase(), value]),
    );
  return {
    tables: endingIn('_TABLE'),
    queues: endingIn('_QUEUE_URL'),
    buckets: endingIn('_BUCKET'),
    functions: named,
  };
}
