import { mkdtempDisposable, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isOnPath } from '../support/stack/moto.ts';
import { bash, blocks } from '../support/stack/runbook.ts';

// Nothing listens here, so a valid command fails to connect.
const NOWHERE = 'http://127.0.0.1:1';
/** Blocks that would change this clone or need an account. */
const CHANGING = /^(git|npx cdk|npm install) /m;
/** Wraps both programs to try each form of a command once, as it takes a second. */
const WRAPPED = `
try() { mkdir "$SEEN/$1" 2>/dev/null; }
aws() { try "$1 $2" && ! command aws "$@" 2>&1 | grep -q 'Could not connect' && echo "$@" >&2; echo xxx; }
npm() { try "$3 $7 $8" && command npm "$@" 2>&1 | grep -e Unknown -e needs -e takes -e must >&2; }
`;

test.skipIf(!isOnPath('aws'))(
  `the runbook's commands are valid${isOnPath('aws') ? '' : ' (skipped: there is no aws on the PATH)'}`,
  async () => {
    await using seen = await mkdtempDisposable(join(tmpdir(), 'sitefetch-runbook-'));
    const runnable = blocks.filter((block) => !CHANGING.test(block));
    const { stderr } = await bash([WRAPPED, ...runnable, 'true'].join('\n'), {
      SEEN: seen.path,
      HOME: seen.path,
      AWS_ENDPOINT_URL: NOWHERE,
      AWS_MAX_ATTEMPTS: '1',
      AWS_DEFAULT_REGION: 'us-east-1',
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      AWS_EC2_METADATA_DISABLED: 'true',
    });
    expect(stderr).toBe('');
    expect(await readdir(seen.path)).toEqual(
      expect.arrayContaining([
        'logs filter-log-events',
        'lambda invoke',
        'admin org show',
        'admin org suspend',
      ]),
    );
  },
  4 * 60_000,
);
