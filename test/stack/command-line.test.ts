import { execFile } from 'node:child_process';
import { mkdtempDisposable, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildCommandLine } from '../../clients/build.ts';
import { readLocalEnv } from '../../shared/local-config.ts';
import { sharedStack } from '../support/stack/shared-stack.ts';
import { newOrganization } from '../support/world/organization.ts';

const stack = await sharedStack();
const { demoSite } = stack;
const { api_key: key } = await newOrganization(stack.storage, { plan: 'business' });

const folder = await mkdtempDisposable(join(tmpdir(), 'cli-'));
const inFolder = (name: string) => join(folder.path, name);
beforeAll(() => buildCommandLine(inFolder('sitefetch.mjs')));
afterAll(() => folder.remove());

const env = { PATH: readLocalEnv().path, SITEFETCH_URL: stack.baseUrl, SITEFETCH_KEY: key };
const sitefetch = (...args: string[]) =>
  promisify(execFile)(process.execPath, [inFolder('sitefetch.mjs'), ...args], { env });
const linesOf = (text: string) => text.trim().split('\n');

test('the command line prints a page as Markdown, and what it cost', async () => {
  const { stdout, stderr } = await sitefetch(demoSite, '--format', 'markdown', '--cost');
  expect(stdout).toContain('# Demo site');
  expect(stderr).toMatch(/^1 credits \(page\), \d+ left\n$/);
});

test('the command line prints the URLs of a site', async () => {
  const { stdout } = await sitefetch('map', `${demoSite}/magazine`, '--limit', '20');
  expect(linesOf(stdout)).toHaveLength(20);
});

test('the command line saves the pages of a site, and prints what became of each URL', async () => {
  const { stderr } = await sitefetch(
    ...['crawl', `${demoSite}/magazine`, '--limit', '5', '--format', 'markdown', '-o', inFolder('site')],
  );
  const [, pages, credits] = /\n(\d) pages of \d+ URLs, 0 failed, (\d) credits, limit\n$/.exec(stderr) ?? [];
  expect(Number(pages)).toBeGreaterThan(2);
  expect(credits).toBe(pages);
  const results = linesOf(await readFile(inFolder('site/results.ndjson'), 'utf8'));
  const files = results.map((line) => (JSON.parse(line) as { file: string }).file);
  expect(files).toHaveLength(Number(pages));
  for (const file of files) expect(await readFile(inFolder(`site/${file}`), 'utf8')).toMatch(/^# /m);
  const [, id = ''] = /^crawl (\S+)$/m.exec(stderr) ?? [];
  const ledger = await sitefetch('crawl', 'ledger', id, '--outcome', 'page');
  expect(linesOf(ledger.stdout)).toHaveLength(Number(pages));
});

test('the command line runs a batch into a file of lines, and leaves no state behind', async () => {
  await writeFile(inFolder('urls.txt'), `${demoSite}\n{"url": "${demoSite}/js", "custom_id": "js"}\n`);
  await sitefetch('batch', 'run', inFolder('urls.txt'), '--body');
  const results = linesOf(await readFile(inFolder('urls.txt.results.ndjson'), 'utf8'));
  const bodies = results.map((line) => (JSON.parse(line) as { body: string }).body);
  expect(bodies).toContain(await (await fetch(demoSite)).text());
  expect((await readdir(folder.path)).filter((name) => name.startsWith('urls.txt'))).toHaveLength(2);
});

test('the command line submits a job, waits for its page and lists it', async () => {
  const { stdout: id } = await sitefetch(
    'jobs',
    'submit',
    demoSite,
    '--tag',
    'cli',
    '--idempotency-key',
    'once',
  );
  expect(
    (await sitefetch('jobs', 'submit', demoSite, '--tag', 'cli', '--idempotency-key', 'once')).stdout,
  ).toBe(id);
  expect((await sitefetch('jobs', 'wait', id.trim())).stdout).toBe(await (await fetch(demoSite)).text());
  await expect
    .poll(async () => (await sitefetch('jobs', 'list', '--tag', 'cli')).stdout, { timeout: 30_000 })
    .toContain(id.trim());
  expect((await sitefetch('usage')).stdout).toMatch(/^Test \(business\): /);
});
