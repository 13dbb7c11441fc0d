import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { clientOf } from '../support/stack/client.ts';
import { npmStart } from '../support/stack/npm-start.ts';
import { targetServer } from '../support/servers/target-server.ts';

const BATCHES = '/api/v1/scraper/batches';
const LINES = 12;
/** Jobs alone take 5 s, and the lines 12. A lease, a slot or a receiver's place would take 45 to 140 s. */
const CONCURRENCY = { timeout: 40_000 };

type Batch = { batch_id: string; upload_url: string; status: string; counts: Record<string, number> };

/** Each start takes up to 90 s on a busy machine. */
const TWO_STARTS = { timeout: 240_000 };

test('npm start keeps keys, jobs and results over a kill', TWO_STARTS, async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sitefetch-kept-'));
  const localDir = folder.path;
  const first = await npmStart({ localDir });
  const { base_url, api_key, demo_site } = first.file;
  const before = clientOf(base_url, api_key);
  const done = await before.submit({ url: demo_site });
  await before.settled(done);
  const page = await (await before.result(done)).text();
  const unfinished = await before.submit({ url: `${demo_site}/slow?ms=1000`, timeout: 2_000 });
  await first[Symbol.asyncDispose]();

  await using second = await npmStart({ localDir });
  expect(second.file).toMatchObject({ api_key, demo_site });
  expect(second.output()).toMatch(/kept: 1 organization, 2 jobs, 1 of them unfinished/);
  const after = clientOf(second.file.base_url, api_key);
  expect(await (await after.result(done)).text()).toBe(page);
  expect((await after.settled(unfinished)).job.status).toBe('completed');
  await expect.poll(second.output).toMatch(new RegExp(`job ${unfinished} .* completed {2}1 credit`));
});

test(
  'what was in flight at a kill of npm start is taken up at once by the next one',
  TWO_STARTS,
  async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'sitefetch-kept-'));
    const delivered: unknown[] = [];
    // The first delivery is never answered, so it is in flight at the kill.
    await using receiver = await targetServer(({ headers }, response) => {
      delivered.push(headers['webhook-id']);
      if (delivered.length > 1) response.writeHead(204).end();
    });
    const start = { localDir: folder.path, variables: { EGRESS_ALLOW: receiver.host } };
    const first = await npmStart(start);
    const { base_url, api_key, demo_site } = first.file;
    const before = clientOf(base_url, api_key);
    const url = `${demo_site}/slow?ms=3000`;
    const made = await before.post('/api/v1/webhooks', { url: receiver.origin, events: ['job.completed'] });
    expect(made.status).toBe(201);
    const upload = (await (await before.post(BATCHES, { input: 'upload' })).json()) as Batch;
    const line = (n: number) =>
      `${JSON.stringify({ url: `${demo_site}/slow?ms=1000&line=${n}`, timeout: 120_000 })}\n`;
    const body = Array.from({ length: LINES }, (_, n) => line(n)).join('');
    expect((await fetch(upload.upload_url, { method: 'PUT', body })).status).toBe(200);
    await before.post(`${BATCHES}/${upload.batch_id}/start`, {});
    await before.submit({ url: demo_site });
    const jobs = await Promise.all(
      Array.from({ length: 20 }, (_, n) => before.submit({ url, render_js: n % 2 === 0, timeout: 120_000 })),
    );
    const shown = async (client: typeof before) =>
      (await (await client.get(`${BATCHES}/${upload.batch_id}`)).json()) as Batch;
    const isUnderWay = async () => {
      const states = await Promise.all(jobs.map(async (id) => (await before.job(id)).status));
      return (
        states.includes('running') &&
        Number((await shown(before)).counts['running']) > 0 &&
        delivered.length > 0
      );
    };
    await expect.poll(isUnderWay, { timeout: 30_000 }).toBe(true);
    await first[Symbol.asyncDispose]();

    await using second = await npmStart(start);
    const after = clientOf(second.file.base_url, api_key);
    const unfinished = async () => {
      const states = await Promise.all(jobs.map(async (id) => (await after.job(id)).status));
      return states.filter((status) => status !== 'completed');
    };
    await expect.poll(unfinished, CONCURRENCY).toEqual([]);
    await expect.poll(() => delivered.lastIndexOf(delivered[0]), CONCURRENCY).toBeGreaterThan(0);
    await expect.poll(async () => (await shown(after)).status, CONCURRENCY).toBe('completed');
    expect((await shown(after)).counts).toMatchObject({ total: LINES, completed: LINES });
  },
);
