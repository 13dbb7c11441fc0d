import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { readLocalEnv } from '../../shared/config.ts';

// Starting a process is slow on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

test.concurrent.each([
  ['admin', 'org create --name A --plan gold', /^--plan must be free, starter or business, not "gold"\.\n$/],
  ['admin', '--stage nope org list', /^--stage must be dev or prod, not "nope"\.\n$/],
  ['smoke', '--nope', /^Unknown option '--nope'.*\n$/],
])('%s %s fails with a one-line message', async (program, args, line) => {
  const main = fileURLToPath(new URL(`../../infra/${program}/main.ts`, import.meta.url));
  const { promise: printed, resolve } = Promise.withResolvers<string>();
  const env = { PATH: readLocalEnv().path };
  const child = execFile(process.execPath, [main, ...args.split(' ')], { env }, (_, __, stderr) =>
    resolve(stderr),
  );
  expect(await printed).toMatch(line);
  expect(child.exitCode).toBe(1);
});
