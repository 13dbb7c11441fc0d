import { execFile } from 'node:child_process';
import { mkdtempDisposable, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { readLocalEnv } from '../../shared/config.ts';
import { isOnPath } from '../support/moto.ts';
import { ofType, synthesised } from './synthesised.ts';

const { service } = await synthesised();
const alarms = ofType(service, 'AWS::CloudWatch::Alarm').map(([, { Properties }]) => Properties);
const runbook = await readFile(new URL('../../docs/runbook.md', import.meta.url), 'utf8');
const sections = [...runbook.matchAll(/^## (.+)$/gm)].map(([, title = '']) => anchorOf(title));
const blocks = [...runbook.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, commands = '']) => commands);

const root = fileURLToPath(new URL('../..', import.meta.url));
const bash = (script: string, variables: Record<string, string>) =>
  promisify(execFile)('bash', ['-c', script], {
    cwd: root,
    env: { PATH: readLocalEnv().path, ...variables },
  });

/** Sections that no alarm leads to. */
const OTHERS = ['restore'];

it('has a section for every alarm, and few others', () => {
  const linked = alarms.map(
    ({ AlarmDescription: text }) => /docs\/runbook\.md#(.+)$/.exec(String(text))?.[1],
  );
  expect([...new Set([...linked, ...OTHERS])].sort()).toEqual(sections.sort());
});

it('leads nowhere but to its own sections', () => {
  const links = [...runbook.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor);
  expect(links.length).toBeGreaterThan(0);
  expect(sections).toEqual(expect.arrayContaining(links));
});

it('says in every section what to type', () => {
  const silent = runbook.split(/^## /m).filter((section) => !section.includes('```sh'));
  expect(silent).toEqual([]);
});

it('types what bash can read, and scripts that there are', async () => {
  await bash(`bash -n <<'BLOCKS'\n${blocks.join('\n')}\nBLOCKS`, {});
  const scripts = [...runbook.matchAll(/npm run (?:-s )?([\w:]+)/g)].map(([, script]) => script);
  expect(Object.keys(packageJson.scripts)).toEqual(expect.arrayContaining(scripts));
});

it('names resources that the stack has', () => {
  const looked = runbook.matchAll(/id_of (\w+::\w+) (\w+)|^lines (\w+)/gm);
  for (const [, type = 'Logs::LogGroup', prefix, log] of looked) {
    const found = ofType(service, `AWS::${type}`).filter(([id]) => id.startsWith(prefix ?? log ?? ''));
    expect(found).toHaveLength(1);
  }
});

// Nothing answers here: of a command that the command line understood it says that it could not connect.
const NOWHERE = 'http://127.0.0.1:1';
/** Blocks that would change this clone, or need an account. */
const CHANGING = /^(git|npx cdk|npm install) /m;
/** In the place of both programs: each form of a command is tried once, as it takes a second. */
const WRAPPED = `
try() { mkdir "$SEEN/$1" 2>/dev/null; }
aws() { try "$1 $2" && ! command aws "$@" 2>&1 | grep -q 'Could not connect' && echo "$@" >&2; echo xxx; }
npm() { try "$3 $7 $8" && command npm "$@" 2>&1 | grep -e Unknown -e required >&2; }
`;

it.skipIf(!isOnPath('aws'))(
  `types what the command lines understand${isOnPath('aws') ? '' : ' (skipped: there is no aws on the PATH)'}`,
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

/** As GitHub makes them. */
function anchorOf(title: string): string {
  return title.toLowerCase().replaceAll(' ', '-');
}
