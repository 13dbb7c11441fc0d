import { execFile } from 'node:child_process';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { HELP } from '../../local/help.ts';
import { readLocalEnv } from '../../shared/local-config.ts';

const main = fileURLToPath(new URL('../../local/main.ts', import.meta.url));

const start = (args: string[], env: Record<string, string> = {}) =>
  promisify(execFile)(execPath, [main, ...args], { env: { PATH: readLocalEnv().path, PORT: '0', ...env } });

test('npm start -- --help prints its options and settings, and starts nothing', async () => {
  expect(await start(['--help'])).toEqual({ stdout: `${HELP}\n`, stderr: '' });
});

test.each([
  ['an unknown option', ['--frsh'], {}, /^npm start takes --fresh and --help, .*\n$/],
  [
    'a LOCAL_DIR that is not a folder',
    [],
    { LOCAL_DIR: '/dev/null/state' },
    /^LOCAL_DIR=\/dev\/null\/state cannot .*\n$/,
  ],
  ['an invalid port', [], { PORT: 'abc' }, /^The environment of "npm start".* PORT: expected a port.*\n$/],
])('npm start with %s ends with a line that names it', async (_, args, env, stderr) => {
  await expect(start(args, env)).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(stderr) as string,
  });
});
