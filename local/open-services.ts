import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { openFunctionLogs } from './function-logs.ts';
import type { KeptState } from './kept-state.ts';
import type { LambdaFunction } from './lambda/lambda-function.ts';
import { urlAt } from './listen.ts';
import { loopbackNames } from './loopback-names.ts';
import { openIdentities } from './open-identities.ts';
import { openStorage } from './open-storage.ts';
import { openSurroundings } from './open-surroundings.ts';
import { relayed } from './relays.ts';
import { requestLines } from './request-lines.ts';
import { runFunctions } from './run-functions.ts';
import type { StackOptions } from './stack-options.ts';
import { resourceNames } from './template/resource-names.ts';
import { writeWhole } from './write-whole.ts';

type Options = StackOptions & { host: string; dashboardPort: number; demoSite: string };

export type Services = Awaited<ReturnType<typeof openServices>>;

/** Opens the storage, and the functions with everything that they call. */
export async function openServices(options: Options, localDir: string, { folder }: KeptState) {
  const { assembly, maxEnvironments, path, premiumProxyUrl, model, report } = options;
  const { before = (url: string) => Promise.resolve(url), signal = new AbortController().signal } = options;
  await using opening = new AsyncDisposableStack();
  const { blueprint, emulators, seen } = opening.use(
    await openStorage({ localDir, folder, assembly, path, before, report, signal }),
  );
  const cognito = opening.use(await openIdentities({ blueprint, folder, localDir, report }));
  const logs = opening.use(await openFunctionLogs(join(localDir, 'logs')));
  const secretNames = blueprint.secrets.map(({ name }) => name);
  const functions = new Map<string, LambdaFunction>();
  const surroundings = opening.use(
    await openSurroundings({
      ...addressesOf(options),
      emulators: seen,
      cognito: cognito.url,
      before,
      functions,
      secrets: await keptSecrets(folder, secretNames),
      premiumProxyUrl,
      model,
      path,
    }),
  );
  const lines = requestLines(report);
  const shared = { blueprint, surroundings, logs, localDir, maxEnvironments, wrote: lines.wrote };
  for (const [name, it] of runFunctions(shared)) functions.set(name, it);
  opening.defer(() => stopAll(functions));
  const open = opening.move();
  return {
    apiUrl: surroundings.apiUrl,
    blueprint,
    emulators,
    functions,
    lines,
    names: resourceNames(blueprint),
    endpoints: surroundings.endpoints,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

/** What is on this machine besides the emulators, as functions know it. */
function addressesOf({ apiUrl, host, emulatorsHost, port, dashboardPort, demoSite, egressAllow }: Options) {
  const sites = [demoSite, relayed(demoSite, emulatorsHost)].map((url) => new URL(url).host);
  return {
    emulatorsHost,
    apiUrl: apiUrl ?? urlAt(host, port),
    dashboardUrl: urlAt(host, dashboardPort),
    egressAllow: [...new Set([...sites, ...egressAllow].flatMap(loopbackNames))],
    demoPage: `${demoSite}/js`,
  };
}

async function stopAll(functions: ReadonlyMap<string, LambdaFunction>): Promise<void> {
  await Promise.all([...functions.values()].map((it) => it.stop()));
}

const BYTES = 48;

/** The values of the templates' secrets, made once: what is stored was encrypted with them. */
async function keptSecrets(folder: string, names: readonly string[]): Promise<Record<string, string>> {
  const file = join(folder, 'secrets.json');
  const text = await readFile(file, 'utf8').catch(() => '{}');
  const kept = z.record(z.string(), z.string()).parse(JSON.parse(text));
  const made = names.filter((name) => !(name in kept));
  for (const name of made) kept[name] = randomBytes(BYTES).toString('base64url');
  if (made.length > 0) await writeWhole(file, `${JSON.stringify(kept, null, 2)}\n`);
  return kept;
}
