import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { readLocalEnv } from '../../shared/local-config.ts';

const INSTALL = 'Run "npm ci" first: it installs what this command needs.\n';

test.each(['start', 'test', 'check', 'synth', 'deploy'])(
  'npm run %s without node_modules prints one line: run npm ci',
  async (script) => {
    await using clone = await mkdtempDisposable(join(tmpdir(), 'sitefetch-clone-'));
    await mkdir(join(clone.path, 'infra'));
    for (const file of ['package.json', 'infra/require-install.js'])
      await copyFile(new URL(`../../${file}`, import.meta.url), join(clone.path, file));
    const env = { PATH: readLocalEnv().path, HOME: clone.path };
    const running = promisify(execFile)('npm', ['run', '--silent', script], { cwd: clone.path, env });
    await expect(running).rejects.toMatchObject({ code: 1, stdout: '', stderr: INSTALL });
  },
);
