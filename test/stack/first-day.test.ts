import { execFile } from 'node:child_process';
import { mkdtempDisposable, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test, vi } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { createKey, revokeKey } from '../../shared/use-cases/accounts/manage-keys.ts';
import { readLocalEnv } from '../../shared/local-config.ts';
import { parseApiKey } from '../../shared/domain/accounts/api-key.ts';
import { clientOf } from '../support/stack/client.ts';
import { extent } from '../support/world/extent.ts';
import { sharedStack } from '../support/stack/shared-stack.ts';
import { newOrganization } from '../support/world/organization.ts';

type Run = { code: number; stdout: string; stderr: string };

const { path: PATH } = readLocalEnv();
const inRepository = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const PROGRAMS: Readonly<Record<string, string>> = { sh: 'bash', mjs: process.execPath, py: 'python3' };
const named = (example: string) => Object.keys(PROGRAMS).map((extension) => `${example}.${extension}`);

const [REVOKED_WITHIN_MS, POLL_MS] = [15_000, 250];

const stack = await sharedStack();
const { storage } = stack;
const keyWith = async (overrides: object) => (await newOrganization(storage, { overrides })).api_key;

async function run(program: string, args: string[], env: object = {}, cwd = tmpdir()): Promise<Run> {
  return promisify(execFile)(program, args, { env: { PATH, ...env }, cwd }).then(
    (printed) => ({ code: 0, ...printed }),
    (error: unknown) => error as Run,
  );
}

const smoke = (options: Record<string, string>, env = {}) =>
  run(
    process.execPath,
    [
      inRepository('infra/smoke/main.ts'),
      ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]),
    ],
    env,
  );

test('the smoke test passes on the local stack', async () => {
  // Other files use the stack's own organization meanwhile.
  await using folder = await mkdtempDisposable(join(tmpdir(), 'smoke-'));
  const found = JSON.parse(await readFile(join(stack.localDir, 'stack.json'), 'utf8')) as object;
  const own = { ...found, api_key: await keyWith({}) };
  await writeFile(join(folder.path, 'stack.json'), JSON.stringify(own));
  const { code, stdout } = await smoke({}, { LOCAL_DIR: folder.path });
  expect(stdout).toContain(`${stack.baseUrl}, version ${manifest.version}, scraping ${stack.demoSite}/js`);
  expect(stdout).toContain('\nChromium renders in one process.\nAll is well.');
  expect(stdout).not.toContain('FAIL');
  expect(code).toBe(0);
});

test('the smoke test reports each failure and its reason', async () => {
  const key = await keyWith({ credits: 1 });
  const { code, stdout } = await smoke({ url: stack.baseUrl, key, target: `${stack.demoSite}/js` });
  expect(stdout).toContain('ok    fetches a page');
  expect(stdout).toMatch(/FAIL {2}renders a page: .* returned 402, not 200: .*insufficient_credits/);
  expect(code).toBe(1);
});

test('the smoke test fails without a server', async () => {
  const { code, stdout } = await smoke({
    url: 'http://127.0.0.1:1',
    key: 'sf_none',
    target: 'http://a.test/',
  });
  expect(stdout).toContain('http://127.0.0.1:1, version not known, scraping http://a.test/');
  expect(stdout).toContain('FAIL  responds at /healthz: fetch failed');
  expect(stdout).toContain('FAIL  charges the reported credits: Nothing was charged');
  expect(code).toBe(1);
});

describe.concurrent('a caller', () => {
  const example = (name: string, key: string, page: string, cwd?: string) =>
    run(
      PROGRAMS[name.split('.').at(-1) ?? ''] ?? '',
      [inRepository(`docs/examples/${name}`), page],
      { SITEFETCH_URL: stack.baseUrl, SITEFETCH_KEY: key, TMPDIR: cwd },
      cwd,
    );
  const missing = async (name: string) =>
    name.endsWith('.py') && (await run('python3', ['-c', 'import requests'])).code !== 0;

  test.each(named('scrape'))('with %s fetches a page by a sync call and as a job', async (name) => {
    if (await missing(name)) {
      console.log(`Not run: ${name}, for want of python3 with requests.`);
      return;
    }
    await using folder = await mkdtempDisposable(join(tmpdir(), 'example-'));
    const page = `${stack.demoSite}/js`;
    const { code, stdout, stderr } = await example(name, stack.apiKey, page, folder.path);
    expect(code, stderr).toBe(0);
    expect(stdout).toContain(page);
    const { byteLength } = await (await fetch(page)).arrayBuffer();
    expect(stdout).toContain(`${byteLength} bytes`);
    if (name === 'scrape.sh') {
      const [place = ''] = /^.*(?=: page\.html)/m.exec(stdout) ?? [];
      expect(await readFile(join(place, 'page.html'), 'utf8')).toContain('fetched by JavaScript');
    }
  });

  test.each(extent(['outputs.mjs'], named('outputs')))('with %s saves what is in a page', async (name) => {
    if (await missing(name)) return;
    await using folder = await mkdtempDisposable(join(tmpdir(), 'example-'));
    const { code, stderr } = await example(name, stack.apiKey, `${stack.demoSite}/js`, folder.path);
    expect(code, stderr).toBe(0);
    const [made = ''] = await readdir(folder.path);
    const saved = (file: string) => readFile(join(folder.path, name === 'outputs.sh' ? made : '', file));
    expect(String(await saved('page.md'))).toContain('fetched by JavaScript');
    expect((await saved('page.png')).subarray(1, 4).toString()).toBe('PNG');
    expect((await saved('page.pdf')).subarray(0, 5).toString()).toBe('%PDF-');
    const refused = await example(name, 'sf_none', stack.demoSite, folder.path);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('unauthorized')]);
  });

  test.each(extent(['scrape.sh'], named('scrape')))(
    'with %s reports that credits have run out',
    async (name) => {
      if (await missing(name)) return;
      await using folder = await mkdtempDisposable(join(tmpdir(), 'example-'));
      const { code, stderr } = await example(
        name,
        await keyWith({ credits: 4 }),
        stack.demoSite,
        folder.path,
      );
      expect(code).not.toBe(0);
      expect(stderr).toMatch(/Out of credits: 4 left, 5 needed|error: 402/);
    },
  );

  test.each(extent(['scrape.mjs'], named('scrape')))(
    'with %s waits when it is rate limited',
    { tags: ['soak'] },
    async (name) => {
      if (await missing(name)) return;
      await using folder = await mkdtempDisposable(join(tmpdir(), 'example-'));
      const key = await keyWith({ rpm: 15 });
      const { scrape } = clientOf(stack.baseUrl, key);
      while ((await scrape({ url: stack.demoSite })).ok) continue;
      const { code, stderr } = await example(name, key, stack.demoSite, folder.path);
      expect(code, stderr).toBe(0);
    },
  );

  test.each(extent(['scrape.py'], named('scrape')))(
    'with %s does not retry a permanent error',
    async (name) => {
      if (await missing(name)) return;
      await using folder = await mkdtempDisposable(join(tmpdir(), 'example-'));
      const key = await keyWith({ rpm: 2 });
      const { code, stderr } = await example(
        name,
        key,
        stack.demoSite.replace('http:', 'https:'),
        folder.path,
      );
      expect(code).not.toBe(0);
      expect(stderr).toContain('tls_failed');
      expect((await clientOf(stack.baseUrl, key).scrape({ url: stack.demoSite })).status).toBe(200);
    },
  );

  test('replaces a key without an interruption', async () => {
    const { org_id, api_key: old } = await newOrganization(storage);
    const { api_key: next } = await createKey(storage, { orgId: org_id, name: 'next', mode: 'test' });
    const read = (key: string) => clientOf(stack.baseUrl, key).get('/api/v1/scraper/jobs/none');
    expect([(await read(old)).status, (await read(next)).status]).toEqual([404, 404]);
    await revokeKey(storage, parseApiKey(old)?.id ?? '');
    const isRefused = async () => (await read(old)).status === 401;
    await vi.waitUntil(isRefused, { timeout: REVOKED_WITHIN_MS, interval: POLL_MS });
    expect((await read(next)).status).toBe(404);
  });
});
