import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { killTree } from './lambda/process-tree.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const APP = fileURLToPath(new URL('../infra/app.ts', import.meta.url));
const COMPILED = fileURLToPath(new URL('../.cache/compiled', import.meta.url));

/** https://docs.aws.amazon.com/cdk/v2/guide/cli.html */
const Settings = z.object({
  context: z.record(z.string(), z.unknown()),
  assetMetadata: z.boolean(),
  pathMetadata: z.boolean(),
  versionReporting: z.boolean(),
});

/** With a model, which runs where there is an endpoint for it. */
export const LOCAL_CONTEXT: readonly string[] = ['model=local'];

type SynthesisOptions = {
  /** Folder of the cloud assembly. Assets already in it are not copied again. */
  output: string;
  path: string;
  /** `name=value`, as `cdk synth -c` takes them. */
  context?: readonly string[];
  signal: AbortSignal;
};

/**
 * Synthesises the stacks into a folder of choice, by running the app as the CDK's command line does, which
 * itself would take as long as the app. Throws with the app's output.
 */
export async function synthesise({ output, path, context = [], signal }: SynthesisOptions): Promise<void> {
  const given = Object.fromEntries(context.map((it) => it.split('=') as [string, string]));
  const declared = await readContext();
  signal.throwIfAborted();
  const child = spawn(process.execPath, [APP], {
    cwd: ROOT,
    env: {
      PATH: path,
      HOME: homedir(),
      CDK_OUTDIR: output,
      CDK_CONTEXT_JSON: JSON.stringify({ ...declared, ...given }),
      // A check of the templates would take half of the time. A deployment makes it, and so do the tests.
      CDK_VALIDATION: 'false',
      // The CDK's library takes a second to compile.
      NODE_COMPILE_CACHE: COMPILED,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const stop = () => {
    if (child.pid !== undefined) void killTree(child.pid);
  };
  signal.addEventListener('abort', stop);
  const [printed, [code]] = await Promise.all([
    Promise.all([text(child.stdout), text(child.stderr)]),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  signal.removeEventListener('abort', stop);
  signal.throwIfAborted();
  if (code !== 0) throw new Error(`The stacks could not be synthesised.\n${printed.join('')}`);
}

/** What the command line makes of cdk.json. */
async function readContext(): Promise<Record<string, unknown>> {
  const written = await readFile(new URL('../cdk.json', import.meta.url), 'utf8');
  const { context, assetMetadata, pathMetadata, versionReporting } = Settings.parse(JSON.parse(written));
  return {
    ...context,
    'aws:cdk:enable-asset-metadata': assetMetadata,
    'aws:cdk:enable-path-metadata': pathMetadata,
    'aws:cdk:version-reporting': versionReporting,
  };
}
