import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export type Child = { pid: number; line: string } & AsyncDisposable;

type Options = { args?: string[]; environment?: Record<string, string>; says?: RegExp };

/** Starts a program of this repository and waits until it has printed a text. */
export async function startChild(
  program: string,
  { args = [], environment = {}, says = /./ }: Options = {},
): Promise<Child> {
  const path = fileURLToPath(new URL(`../${program}`, import.meta.url));
  const child = spawn(process.execPath, [path, ...args], {
    env: environment,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const line = await lineOf(child.stdout, says);
  if (line === undefined || child.pid === undefined) throw new Error(`${program} did not start.`);
  return {
    pid: child.pid,
    line,
    async [Symbol.asyncDispose]() {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}

async function lineOf(output: NodeJS.ReadableStream, says: RegExp): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  createInterface({ input: output })
    .on('line', (line) => (says.test(line) ? resolve(line) : undefined))
    .on('close', () => resolve(undefined));
  return promise;
}
