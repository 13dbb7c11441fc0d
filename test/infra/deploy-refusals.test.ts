import { execFile } from 'node:child_process';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { readLocalEnv } from '../../shared/local-config.ts';

const main = fileURLToPath(new URL('../../infra/deploy/main.ts', import.meta.url));

test.each([
  [
    'a stage with a slip',
    ['-c', 'stage=prdo'],
    'The stage must be dev or prod, not "prdo". Did you mean "prod"?',
  ],
  ['no credentials', [], 'No AWS credentials were found. Sign in with "aws sso login", or set AWS_PROFILE.'],
])('a deployment with %s ends in one line, before the synthesis', async (_, args, line) => {
  await using home = await mkdtempDisposable(join(tmpdir(), 'sitefetch-no-aws-'));
  const env = {
    PATH: readLocalEnv().path,
    HOME: home.path,
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_REGION: 'eu-west-1',
  };
  const running = promisify(execFile)(execPath, [main, ...args], { env });
  await expect(running).rejects.toMatchObject({ code: 1, stdout: '', stderr: `${line}\n` });
});
