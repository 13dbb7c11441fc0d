// @module-tag soak
import { execFile } from 'node:child_process';
import { chmod, mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { readLocalEnv } from '../../shared/local-config.ts';

const cwd = fileURLToPath(new URL('../..', import.meta.url));
const cdkCli = fileURLToPath(import.meta.resolve('aws-cdk/bin/cdk'));

/** It starts the CDK, which the other layers do with the project's Node. */
test("a plain cdk runs the app on the project's Node, whatever Node the operator has", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sitefetch-old-node-'));
  const old = join(folder.path, 'node');
  await writeFile(old, '#!/bin/sh\necho "This Node is too old." >&2\nexit 1\n');
  await chmod(old, 0o755);
  const env = { PATH: [folder.path, readLocalEnv().path].join(delimiter), HOME: folder.path };
  // A stage that does not exist ends the app before its long part.
  const listing = promisify(execFile)(execPath, [cdkCli, 'ls', '-c', 'stage=none'], { cwd, env });
  await expect(listing).rejects.toMatchObject({
    stderr: expect.stringContaining('The stage must be dev or prod') as string,
  });
});

test.each(['README.md', 'CONTRIBUTING.md', 'docs/deploy.md', 'docs/development.md'])(
  '%s names the oldest Node that the package takes',
  async (page) => {
    const text = await readFile(new URL(`../../${page}`, import.meta.url), 'utf8');
    expect(/Node\.js\s(\d+)\sor\slater/.exec(text)?.[1]).toBe(
      /^>=(\d+)$/.exec(packageJson.engines.node)?.[1],
    );
  },
);
