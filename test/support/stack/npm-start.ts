import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { descendantsOf, killTree, processes } from '../../../local/lambda/process-tree.ts';
import { readLocalEnv } from '../../../shared/local-config.ts';

type StackFile = { base_url: string; api_key: string; demo_site: string };

type Start = { localDir: string; args?: string[]; variables?: Record<string, string> };

/** Runs `npm start` on a free port. */
export async function npmStart({ localDir, args = [], variables = {} }: Start) {
  const env = { PATH: readLocalEnv().path, HOME: localDir, LOCAL_DIR: localDir, PORT: '0', ...variables };
  const npm = spawn('npm', ['start', '--', ...args], { env, stdio: 'pipe' });
  let output = '';
  for (const stream of [npm.stdout, npm.stderr])
    stream.on('data', (text: Buffer) => (output += text.toString()));
  const read = async () => JSON.parse(await readFile(join(localDir, 'stack.json'), 'utf8')) as StackFile;
  await expect.poll(() => output, { timeout: 100_000 }).toContain('Ctrl-C stops it.');
  return {
    npm,
    output: () => output,
    file: await read(),
    read,
    children: async () => descendantsOf(Number(npm.pid), await processes()),
    [Symbol.asyncDispose]: () => killTree(Number(npm.pid)),
  };
}

/** Returns the processes that still run. */
export async function processesOf(pids: readonly number[]): Promise<number[]> {
  const alive = (await processes()).filter(({ pid, isZombie }) => pids.includes(pid) && !isZombie);
  return alive.map(({ pid }) => pid);
}
