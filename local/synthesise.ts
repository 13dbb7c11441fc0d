import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { killTree } from './lambda/process-tree.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

type SynthesisOptions = {
  /** Folder of the cloud assembly. Assets already in it are not copied again. */
  output: string;
  path: string;
  /** `name=value`, as `cdk synth -c` takes them. */
  context?: string[];
  signal: AbortSignal;
};

/** Synthesises the stacks into a folder of choice. Throws with the CDK's output. */
export async function synthesise({ output, path, context = [], signal }: SynthesisOptions): Promise<void> {
  const cdk = createRequire(import.meta.url).resolve('aws-cdk/bin/cdk');
  // A check of the templates would take half of the time. A deployment makes it, and so do the tests.
  const synth = [
    'synth',
    '--quiet',
    '--no-validation',
    '--output',
    output,
    ...context.flatMap((it) => ['-c', it]),
  ];
  const child = spawn(process.execPath, [cdk, ...synth], {
    cwd: ROOT,
    env: {
      PATH: path,
      HOME: homedir(),
      // https://docs.aws.amazon.com/cdk/v2/guide/cli-telemetry.html
      CDK_DISABLE_CLI_TELEMETRY: 'true',
      CDK_DISABLE_VERSION_CHECK: 'true',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Its own group, because the CDK's child, the app, outlives it.
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
