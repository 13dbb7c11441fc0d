import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, mkdtempDisposable, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { descendantsOf, killTree, processes } from '../../local/lambda/process-tree.ts';
import { startDemoSite } from '../../local/demo-site.ts';
import { readLocalEnv } from '../../shared/config.ts';
import { createApiKey } from '../../shared/domain/account/api-key.ts';
import { clientOf } from '../support/client.ts';
import { localStack } from '../support/local-stack.ts';

const ADMIN = fileURLToPath(new URL('../../infra/admin/main.ts', import.meta.url));

/** Each start takes up to 90 s on a busy machine. */
const THREE_STARTS = { timeout: 300_000 };

type StackFile = { base_url: string; api_key: string; demo_site: string };

type Start = { localDir?: string; args?: string[]; variables?: Record<string, string> };

/** Runs `npm start` on a free port, by default with a temporary folder for its state. */
async function npmStart({ localDir, args = [], variables = {} }: Start = {}) {
  const folder = localDir ?? (await mkdtemp(join(tmpdir(), 'sitefetch-start-')));
  const env = { PATH: readLocalEnv().path, HOME: folder, LOCAL_DIR: folder, PORT: '0', ...variables };
  const npm = spawn('npm', ['start', '--', ...args], { env, stdio: 'pipe' });
  let output = '';
  for (const stream of [npm.stdout, npm.stderr])
    stream.on('data', (text: Buffer) => (output += text.toString()));
  const read = async () => JSON.parse(await readFile(join(folder, 'stack.json'), 'utf8')) as StackFile;
  await expect.poll(() => output, { timeout: 100_000 }).toContain('Ctrl-C stops it.');
  return {
    npm,
    output: () => output,
    file: await read(),
    read,
    children: async () => descendantsOf(Number(npm.pid), await processes()),
    [Symbol.asyncDispose]: async () => {
      await killTree(Number(npm.pid));
      if (localDir === undefined)
        await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
    },
  };
}

test.each(['SIGINT', 'SIGTERM'] as const)(
  'npm start serves, and %s leaves no process behind',
  async (signal) => {
    await using started = await npmStart();
    const { base_url, api_key, demo_site } = started.file;
    expect(started.output()).toMatch(/^[\d:]{8} Starting Sitefetch$/m);
    for (const text of [base_url, `${base_url}/docs`, `curl -H 'Authorization: Bearer ${api_key}'`])
      expect(started.output()).toContain(text);
    const page = await clientOf(base_url, api_key).scrape({ url: `${demo_site}/js`, render_js: true });
    expect(await page.text()).toContain('This text was fetched by JavaScript');
    const line = `POST /api/v1/scraper  ${new URL(demo_site).host}  200  5 credits`;
    await expect.poll(started.output).toContain(line);

    const children = await started.children();
    expect(children.length).toBeGreaterThan(5);
    const ended = once(started.npm, 'exit');
    started.npm.kill(signal);
    expect(await ended).toEqual([0, null]);
    const isAlive = ({ pid, isZombie }: { pid: number; isZombie: boolean }) =>
      children.includes(pid) && !isZombie;
    await expect.poll(async () => (await processes()).filter(isAlive), { timeout: 30_000 }).toEqual([]);
    await expect(started.read()).rejects.toThrow('ENOENT');
  },
);

test(
  'keys, jobs and results survive a kill of npm start, and --fresh deletes them',
  THREE_STARTS,
  async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'sitefetch-kept-'));
    const localDir = folder.path;
    const first = await npmStart({ localDir });
    const { api_key, demo_site } = first.file;
    const before = clientOf(first.file.base_url, api_key);
    const done = await before.submit({ url: `${demo_site}/js`, render_js: true });
    await before.settled(done);
    const page = await (await before.result(done)).text();
    const unfinished = await before.submit({ url: `${demo_site}/slow?ms=1000`, timeout: 2_000 });
    await first[Symbol.asyncDispose]();

    {
      await using second = await npmStart({ localDir });
      expect(second.file).toMatchObject({ api_key, demo_site });
      expect(second.output()).toMatch(/kept: 1 organization, 2 jobs, 1 of them unfinished/);
      const after = clientOf(second.file.base_url, api_key);
      expect(await (await after.result(done)).text()).toBe(page);
      expect((await after.settled(unfinished)).job.status).toBe('completed');
      await expect.poll(second.output).toMatch(new RegExp(`job ${unfinished} .* completed {2}1 credit`));
    }

    await using other = await startDemoSite();
    const { text: API_KEY } = createApiKey('test', randomBytes);
    const variables = { API_KEY, EGRESS_ALLOW: new URL(other.url).host.replace('127.0.0.1', 'localhost') };
    await using third = await npmStart({ localDir, args: ['--fresh'], variables });
    expect(third.file.api_key).toBe(API_KEY);
    expect((await clientOf(third.file.base_url, API_KEY).scrape({ url: other.url })).status).toBe(200);
    expect((await clientOf(third.file.base_url, api_key).get(`/api/v1/scraper/jobs/${done}`)).status).toBe(
      401,
    );
  },
);

test('the admin commands work on the local stack', async () => {
  await using stack = await localStack();
  let piped = '';
  const admin = async (...args: string[]) => {
    const env = { PATH: readLocalEnv().path, LOCAL_DIR: stack.localDir };
    const typed = [ADMIN, '--local', '--json', ...args];
    const running = promisify(execFile)(process.execPath, typed, { env });
    running.child.stdin?.end(piped);
    return JSON.parse((await running).stdout) as Record<string, unknown>;
  };
  const created = await admin('org', 'create', '--name', 'Two calls', '--credits', '2', '--rpm', '30');
  const orgId = String(created.org_id);
  const scrape = async (key: unknown) =>
    (await clientOf(stack.baseUrl, String(key)).scrape({ url: stack.demoSite })).status;
  expect([await scrape(created.api_key), await scrape(created.api_key)]).toEqual([200, 200]);
  expect(await scrape(created.api_key)).toBe(402);
  expect(await admin('org', 'show', orgId)).toMatchObject({
    limits: { credits: 2, rpm: 30, concurrency: 10 },
    usage: { available: 0, used: 2, in_progress: 0 },
  });

  expect(await admin('org', 'grant', orgId, '--credits', '1')).toMatchObject({
    limits: { credits: 2 },
    usage: { available: 1, used: 2, granted: 1 },
  });
  expect([await scrape(created.api_key), await scrape(created.api_key)]).toEqual([200, 402]);

  const update = [
    'org',
    'update',
    orgId,
    '--plan',
    'starter',
    '--reads-per-minute',
    '70',
    '--rpm',
    'default',
  ];
  expect(await admin(...update)).toMatchObject({
    limits: { credits: 2, rpm: 600, reads_per_minute: 70, concurrency: 50 },
  });
  const { organizations } = await admin('org', 'list');
  expect(organizations).toContainEqual(expect.objectContaining({ org_id: orgId, plan: 'starter' }));

  const second = await admin('key', 'create', orgId, '--name', 'laptop');
  const { keys } = (await admin('key', 'list', orgId)) as {
    keys: { name: string; status: string }[];
  };
  expect(keys.map(({ name, status }) => `${name} ${status}`).sort()).toEqual([
    'first active',
    'laptop active',
  ]);
  expect(JSON.stringify(keys)).not.toContain(String(second.api_key));
  await admin('key', 'revoke', String(second.key_id));
  expect(await scrape(second.api_key)).toBe(401);

  const leaked = await admin('key', 'create', orgId, '--name', 'leaked');
  piped = `${String(leaked.api_key)}\n`;
  const revoked = await admin('key', 'revoke', '-');
  expect(revoked).toMatchObject({ name: 'leaked', status: 'revoked' });
  expect(JSON.stringify(revoked)).not.toContain(String(leaked.api_key));
  expect(await scrape(leaked.api_key)).toBe(401);

  await admin('org', 'suspend', orgId);
  await expect.poll(() => scrape(created.api_key), { timeout: 30_000 }).toBe(403);
  await admin('org', 'resume', orgId);
  await expect.poll(() => scrape(created.api_key), { timeout: 30_000 }).toBe(402);
  await expect(admin('org', 'show', 'org_none')).rejects.toThrow('There is no organization "org_none".');
});
