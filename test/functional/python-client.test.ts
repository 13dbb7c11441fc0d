import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';
import { readLocalEnv } from '../../shared/local-config.ts';

// Starting a process is slow on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const { path: PATH } = readLocalEnv();
const cwd = fileURLToPath(new URL('../../clients/python', import.meta.url));

/** Every warning is an error, such as a connection that stays open. */
const python = (...args: string[]) =>
  promisify(execFile)('python3', ['-W', 'error', ...args], {
    cwd,
    env: { PATH, PYTHONPATH: '.', PYTHONDONTWRITEBYTECODE: '1' },
  });

const hasPython = await python('-c', 'import sys; sys.exit(sys.version_info < (3, 9))').then(
  () => true,
  () => false,
);

test.skipIf(!hasPython)('the client for Python passes its tests', async () => {
  const { stderr } = await python('tests/test_client.py');
  expect(stderr).toMatch(/\nRan [1-9]\d* tests in [\d.]+s\n\nOK\n$/);
});
