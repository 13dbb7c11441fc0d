import { execFile } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import { getCompileCacheDir } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { commands } from '../../infra/admin/commands.ts';
import { help } from '../../infra/admin/help.ts';
import { csv, tables } from '../../infra/admin/print.ts';
import { readCommand } from '../../infra/admin/read-command.ts';
import { limits, target } from '../../infra/admin/read-values.ts';
import { readLocalEnv } from '../../shared/local-config.ts';
import { newService } from '../support/world/api.ts';
import type { World } from '../support/world/in-memory-world.ts';

// Starting a process is slow on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

/** An operator's connection to a world. */
const connected = (world: World) => ({
  ...world,
  dashboard: () => Promise.resolve({ people: world.people, url: 'https://account.example.com' }),
  stores: () => Promise.resolve([]),
  report: () => undefined,
});

/** A typed command line, prepared as far as possible without a connection. */
function typed(line: string) {
  const read = readCommand(line.split(' ').filter(Boolean));
  if (!read) throw new Error('This asks for help.');
  const { command, values, argument } = read;
  return { values, target: target(values), execute: command.prepare(values, argument) };
}

test.each([
  ['org lsit', 'Unknown command "org lsit". Did you mean "org list"?'],
  ['frobnicate', 'Unknown command "frobnicate". "npm run -s admin -- --help" lists them.'],
  ['constructor', 'Unknown command "constructor". "npm run -s admin -- --help" lists them.'],
  ['org create --nmae A', 'Unknown option "--nmae". Did you mean "--name"?'],
  ['--stge prod org list', 'Unknown option "--stge". Did you mean "--stage"?'],
  ['org list -x', 'Unknown option "-x".'],
  ['org create', 'org create needs --name.'],
  ['org create --name', '--name needs a value.'],
  ['org create --name --plan free', '--name needs a value.'],
  ['org create --name=', '--name is required.'],
  ['org create --name A --plan gold', '--plan must be free, starter or business, not "gold".'],
  ['org show', 'org show needs ORG_ID.'],
  ['usage', 'usage needs --month.'],
  ['usage --month 2026-13', '--month must be a month such as 2026-11, not "2026-13".'],
  ['usage --month 2026-11 --by hour', '--by must be day or key, not "hour".'],
  ['key rotate k --grace 2h', '--grace must be 0, 1h or 24h, not "2h".'],
  [
    'key create org_1 --formats markdwon',
    '--formats must list html, clean_html, markdown, text, links, images, metadata, extract, change, screenshot or pdf, not "markdwon".',
  ],
  [
    'key create org_1 --routes jobs,all',
    '--routes must list scrape, jobs, crawls, account or webhooks, not "all".',
  ],
  [
    'key create org_1 --credits-per-day some',
    '--credits-per-day must be a whole number from 0 to 1,000,000,000,000, not "some".',
  ],
  ['org show org_1 org_2', 'org show does not take "org_2".'],
  ['org list org_1', 'org list does not take "org_1".'],
  ['org delete org_1', 'org delete cannot be undone: it needs --yes. --dry-run counts what it would delete.'],
  ['org delete org_1 --yes --dry-run', 'Use either --yes or --dry-run.'],
  ['org delete --yes', 'org delete needs ORG_ID.'],
  ['org list --rpm 3', 'org list takes no --rpm.'],
  ['org list --json=yes', '--json takes no value.'],
  ['org update org_1 --rpm -1', '--rpm needs a value.'],
  [
    'org update org_1 --rpm 0',
    '--rpm must be a whole number from 1 to 1,000,000,000,000 or "default", not "0".',
  ],
  ['org grant org_1', 'org grant needs --credits.'],
  [
    'org grant org_1 --credits default',
    '--credits must be a whole number from 1 to 1,000,000,000,000, not "default".',
  ],
  [
    'org grant org_1 --credits 1e13',
    '--credits must be a whole number from 1 to 1,000,000,000,000, not "1e13".',
  ],
  [
    'key create org_1 --expires 2030-02-31',
    '--expires must be a date in the future such as 2030-01-31, not "2030-02-31".',
  ],
  ['key revoke', 'key revoke needs KEY.'],
  ['--stage nope org list', '--stage must be dev or prod, not "nope".'],
  ['--stage prod --local org list', 'Use either --local or --stage.'],
])('admin %s is refused before it connects', (line, message) => {
  expect(() => typed(line)).toThrow(new Error(message));
});

test('a command goes to dev unless another stage is named', () => {
  expect(typed('org suspend org_1').target).toEqual({ local: false, stage: 'dev' });
  expect(typed('--stage prod org suspend org_1').target).toEqual({ local: false, stage: 'prod' });
  expect(typed('org suspend org_1 --local').target).toMatchObject({ local: true });
});

test('"default" unsets a limit', async () => {
  const { world, service } = await newService();
  const { orgId } = await service.organization({ overrides: { rpm: 7, concurrency: 3 } });
  const update = typed(`org update ${orgId} --rpm default --credits 5`);
  expect(await update.execute(connected(world))).toMatchObject({
    limits: { credits: 5, rpm: 60, concurrency: 3 },
  });
  expect(limits({ concurrency: 'default' })).toMatchObject({ concurrency: null });
});

test('help has one line a command and one an option, with its default', () => {
  const lines = help().split('\n');
  for (const [name, { does }] of Object.entries(commands))
    expect(lines.filter((line) => line.startsWith(`  ${name} `) && line.endsWith(`  ${does}`))).toHaveLength(
      1,
    );
  expect(lines).toContain('  --stage NAME  dev or prod (default: dev)');
  expect(help()).toMatch(/^ {2}--rpm N +.*\(default: free 60, starter 600, business 6,000\)$/m);
  expect(help()).toContain('org update ORG_ID [--name NAME] [LIMITS]  ');
  expect(readCommand(['org', 'create', '--help'])).toBeUndefined();
  expect(readCommand([])).toBeUndefined();
});

test('every command that README and docs name is understood', async () => {
  const root = new URL('../../', import.meta.url);
  const pages = (await readdir(new URL('docs/', root))).filter((name) => name.endsWith('.md'));
  const texts = ['README.md', ...pages.map((name) => `docs/${name}`)].map((path) =>
    readFile(new URL(path, root), 'utf8'),
  );
  const named = (await Promise.all(texts)).flatMap((text) =>
    [...text.matchAll(/npm run -s admin -- ([^`#<\n]+)/g)].map(([, line = '']) => line),
  );
  expect(named.length).toBeGreaterThan(8);
  for (const line of named) {
    const words = line.matchAll(/"([^"]*)"|\S+/g);
    const args = [...words].map(([word, quoted = word]) => quoted.replace('$STAGE', 'prod'));
    const read = readCommand(args);
    if (read) target(read.values);
    else expect(args).toEqual(['--help']);
  }
});

test('results are tables for people', async () => {
  const { world, service } = await newService();
  const { orgId } = await service.organization({ name: 'Evil\u001b[2J', overrides: { credits: 12_345 } });
  const shown = tables(await typed(`org show ${orgId}`).execute(connected(world)));
  expect(shown).toContain(`org id      ${orgId}\nname        Evil\ufffd[2J\n`);
  expect(shown).toContain('created at  2026-11-21 12:00 UTC');
  expect(shown).toContain('\n\nlimits\n  credits           12,345\n');
  const listed = tables(await typed('org list').execute(connected(world))).split('\n');
  expect(listed[0]).toMatch(/^ORG ID +NAME +PLAN {2}STATUS {2}CREATED AT$/);
  expect(new Set(listed.map((line) => line.search(/ {2}(PLAN|free)/))).size).toBe(1);
  expect(tables({ organizations: [] })).toBe('no organizations');
});

type Program = { program?: 'admin' | 'smoke'; variables?: Record<string, string>; input?: string };

/** Compiled code that the tests keep halves the start of a process. */
const compiled = getCompileCacheDir();
const cache = compiled === undefined ? {} : { NODE_COMPILE_CACHE: dirname(compiled) };

/** The output of a separate process, with no AWS file and no AWS variable but those given. */
async function run(line: string, { program = 'admin', variables = {}, input = '' }: Program = {}) {
  const main = fileURLToPath(new URL(`../../infra/${program}/main.ts`, import.meta.url));
  const nowhere = { HOME: '/nonexistent', LOCAL_DIR: '/nonexistent' };
  const env = { PATH: readLocalEnv().path, ...nowhere, ...cache, ...variables };
  const { promise, resolve } = Promise.withResolvers<{ stdout: string; stderr: string }>();
  const child = execFile(process.execPath, [main, ...line.split(' ')], { env }, (_, stdout, stderr) =>
    resolve({ stdout, stderr }),
  );
  child.stdin?.end(input);
  return { ...(await promise), code: child.exitCode };
}

/** CloudFormation's message for a stack that does not exist. */
async function emptyCloudFormation() {
  const server = createServer((_, response) => {
    response.writeHead(400, { 'Content-Type': 'text/xml' }).end(
      `<ErrorResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><Error><Type>Sender</Type>
        <Code>ValidationError</Code><Message>Stack with id sitefetch-dev-service does not exist</Message></Error>
        <RequestId>1</RequestId></ErrorResponse>`,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.dispose]: () => void server.close(),
  };
}

const region = { AWS_REGION: 'eu-central-1', AWS_EC2_METADATA_DISABLED: 'true' };
const credentials = { ...region, AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'x' };

test.concurrent('no region, no credentials, no stack and no network are one line each', async () => {
  using aws = await emptyCloudFormation();
  const lines = await Promise.all(
    [
      {},
      region,
      { ...credentials, AWS_ENDPOINT_URL: aws.url },
      { ...credentials, AWS_ENDPOINT_URL: 'http://127.0.0.1:1', AWS_MAX_ATTEMPTS: '1' },
    ].map((variables) => run('org list', { variables })),
  );
  expect(lines).toEqual(
    [
      'No AWS region is set. Set AWS_REGION, or a region in the AWS profile.',
      'No AWS credentials were found. Sign in with "aws sso login", or set AWS_PROFILE.',
      'Stack sitefetch-dev-service does not exist in eu-central-1. Deploy it, or name another --stage or AWS_REGION.',
      'AWS cannot be reached. Check the network and the region.',
    ].map((line) => ({ stdout: '', stderr: `${line}\n`, code: 1 })),
  );
});

test.concurrent('a key that was typed in the wrong place is not printed', async () => {
  const { key } = await newService();
  const { stderr, code } = await run(`key ${key}`);
  expect([stderr, code]).toEqual([
    'Unknown command "key sf_test_". "npm run -s admin -- --help" lists them.\n',
    1,
  ]);
});

test.concurrent('a program reports what it lacks in one line', async () => {
  const [list, revoke, smoke] = await Promise.all([
    run('--local org list'),
    run('--local key revoke -'),
    run('--nope', { program: 'smoke' }),
  ]);
  expect(list).toMatchObject({
    stderr: 'No local stack is running: /nonexistent/stack.json does not exist. Run "npm start" first.\n',
    code: 1,
  });
  expect(revoke).toMatchObject({ stderr: 'The key is required.\n', code: 1 });
  expect(smoke.stderr).toMatch(/^Unknown option '--nope'.*\n$/);
});

test('a key is created with restrictions and rotated with a grace', async () => {
  const { world, orgId } = await newService();
  const run = (line: string) => typed(line).execute(connected(world)) as Promise<Record<string, string>>;
  const created = await run(
    `key create ${orgId} --name shop --routes scrape,jobs --formats html --credits-per-day 9`,
  );
  const { replaces, replaced_until: until } = await run(`key rotate ${created.key_id} --grace 1h`);
  expect([replaces, until]).toEqual([created.key_id, '2026-11-21T13:00:00.000Z']);
  const { keys } = await run(`key list ${orgId}`);
  const restricted = { name: 'shop', routes: 'scrape, jobs', formats: 'html', credits_per_day: 9 };
  expect(keys).toEqual(expect.arrayContaining([expect.objectContaining(restricted)]));
});

test('usage is printed as CSV that no spreadsheet runs', async () => {
  const { world, service } = await newService();
  await service.organization({ name: '=1+1, "x"' });
  const result = await typed('usage --month 2026-11').execute(connected(world));
  const [head, ...rows] = csv(result).split('\r\n');
  expect(head).toBe('org_id,name,scrapes,succeeded,failed,credits');
  expect(rows.map((row) => row.replace(/^org_\w+/, 'ORG')).sort()).toEqual([
    `ORG,"'=1+1, ""x""",0,0,0,0`,
    'ORG,Test,0,0,0,0',
  ]);
  expect(csv({ month: '2026-11', usage: [] })).toBe('');
});
