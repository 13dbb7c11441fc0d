import { beforeEach, expect, test, vi } from 'vitest';
import { AppError } from '../../shared/errors.ts';
import { readersOf } from '../../shared/domain/accounts/credits/admission.ts';
import { limitsOf } from '../../shared/domain/accounts/credits/plan.ts';
import type { Answer } from '../support/world/api.ts';
import {
  asNewOrganization,
  key,
  newServiceEachTest,
  organization,
  service,
  usage,
  world,
} from '../support/world/each-test.ts';
import { page } from '../support/world/pages.ts';

const JOBS = '/api/v1/scraper/jobs';
const BATCHES = '/api/v1/scraper/batches';
const URL = 'https://example.com/';
const LONG = `${URL}?${'q'.repeat(7_900)}`;
const KIB = 1_024;
/** Longer than any function runs. */
const FUNCTION_MS = 15 * 60_000;
/** A job that ends in this time needs no place. */
const FIRST_LOOK_MS = 200;

newServiceEachTest({ overrides: { concurrency: 3, rpm: 1_000, credits: 5_000 } });
beforeEach(() => {
  world.web[URL] = page('<h1>Hello</h1>');
  world.web[LONG] = new AppError('tls_failed');
});

const ask = (path: string, headers = {}) => service.ask(path, { key, headers });
const submit = (headers = {}) => service.post(JOBS, key, { url: URL }, headers);
const placesTaken = async () => Object.keys((await usage()).slots.readers).length;
const refused = ({ status, json }: Answer) => [status, json['code']];
const REFUSED = [429, 'too_many_concurrent'];

/** Takes every place of the organization, as its readers do. */
async function takeAllPlaces() {
  const org = await organization();
  const until = new Date(world.now().getTime() + 60_000);
  for (let n = 0; n < readersOf(limitsOf(org)); n++)
    await world.usage.admit(org, { credits: 0, reader: { id: `r${n}`, until } }, world.now());
}

async function jobOf(body: string): Promise<string> {
  const url = `${URL}${body.length}`;
  world.web[url] = page(body);
  return String((await service.post(JOBS, key, { url })).json['job_id']);
}

async function batchOf(count: number, url: string): Promise<string> {
  const requests = Array.from({ length: count }, () => ({ url }));
  return String((await service.post(BATCHES, key, { requests })).json['batch_id']);
}

async function finished(batchId: string): Promise<void> {
  const isRunning = async () => (await ask(`${BATCHES}/${batchId}`)).json['status'] === 'running';
  while (await isRunning()) await service.work();
}

/** Submits that wait until `end` is called, and the responses that came before. */
function waiting(count: number, headers = {}) {
  const gate = Promise.withResolvers<undefined>();
  const { wait } = world;
  world.wait = async (ms) => {
    if (ms > FIRST_LOOK_MS) await gate.promise;
    await wait(ms);
  };
  const early: Answer[] = [];
  const all = Array.from({ length: count }, async () => {
    const answer = await submit({ Prefer: 'wait=60', ...headers });
    early.push(answer);
    return answer;
  });
  return { early, all: () => Promise.all(all), end: () => gate.resolve(undefined) };
}

test('submits that prefer to wait wait fewer at a time than scrapes may run, and the others get their 202 at once', async () => {
  const held = waiting(6);
  await vi.waitUntil(() => held.early.length === 4);
  expect(held.early.map(({ status }) => status)).toEqual([202, 202, 202, 202]);
  expect(await placesTaken()).toBe(2);
  for (const { headers } of held.early) expect(headers).not.toHaveProperty('Preference-Applied');
  held.end();
  await held.all();
  expect(await placesTaken()).toBe(0);
});

test('submits that prefer to wait wait ten at a time at most, whatever the plan', async () => {
  await asNewOrganization({ plan: 'business' });
  const held = waiting(14);
  await vi.waitUntil(() => held.early.length === 4);
  expect(await placesTaken()).toBe(10);
  held.end();
  await held.all();
});

test('submits that prefer to wait need a place for each repeat with the same Idempotency-Key', async () => {
  const again = { 'Idempotency-Key': 'a' };
  await submit(again);
  const held = waiting(5, again);
  await vi.waitUntil(() => held.early.length === 3);
  expect(held.early.map(({ headers }) => headers['Idempotent-Replayed'])).toEqual(['true', 'true', 'true']);
  expect(await placesTaken()).toBe(2);
  held.end();
  await held.all();
});

test('submits that prefer to wait wait again once the functions of others have died', async () => {
  const { release } = world.usage;
  world.usage.release = () => Promise.reject(new Error('The process was killed.'));
  for (let n = 0; n < 2; n++) await submit({ Prefer: 'wait=1' });
  Object.assign(world.usage, { release });
  const before = world.now().getTime();
  await submit({ Prefer: 'wait=1' });
  expect(world.now().getTime()).toBe(before + FIRST_LOOK_MS);
  world.pass(FUNCTION_MS);
  await submit({ Prefer: 'wait=1' });
  expect(world.now().getTime()).toBe(before + FIRST_LOOK_MS + FUNCTION_MS + 1_000);
});

test('submits that prefer to wait leave places to readers of results', async () => {
  const id = await jobOf('x'.repeat(100 * KIB));
  await service.work();
  const held = waiting(2);
  await vi.waitUntil(async () => (await placesTaken()) === 2);
  expect((await ask(`${JOBS}/${id}/result`, { Range: 'bytes=0-9' })).status).toBe(206);
  held.end();
  await held.all();
});

test('submits that prefer to wait need none if the job ends within moments', async () => {
  await takeAllPlaces();
  const { send } = world.queue;
  world.queue.send = async (job) => {
    await send(job);
    await service.work();
  };
  expect((await submit({ Prefer: 'wait=60' })).status).toBe(200);
});

test('submits that prefer to wait are accepted although their place cannot be taken', async () => {
  world.usage.admit = (
    (admit) =>
    async (...request) => {
      if (request[1].reader) throw new AppError('busy');
      return admit(...request);
    }
  )(world.usage.admit);
  expect((await submit({ Prefer: 'wait=60' })).status).toBe(202);
});

test('a response of more than 64 KiB needs a place whatever its route, unlike a smaller one', async () => {
  const ids = [await jobOf('x'.repeat(100 * KIB)), await jobOf('x'.repeat(KIB))];
  await service.work();
  await takeAllPlaces();
  const results = await Promise.all(ids.map((id) => ask(`${JOBS}/${id}/result`)));
  expect(results.map(({ status }) => status)).toEqual([429, 200]);
});

test('a response of more than 64 KiB needs a place even as the report of a failed scenario', async () => {
  const steps = Array.from({ length: 100 }, () => ({
    step: 'wait',
    ok: true,
    ms: 1,
    url: LONG.slice(0, 2_000),
  }));
  world.web[URL] = new AppError('scenario_failed', { report: { ok: false, steps } });
  const id = String((await service.post(JOBS, key, { url: URL, render_js: true })).json['job_id']);
  await service.work();
  const result = `${JOBS}/${id}/result`;
  expect((await ask(result)).status).toBe(422);
  expect(await placesTaken()).toBe(0);
  await takeAllPlaces();
  expect(refused(await ask(result))).toEqual(REFUSED);
});

test('a response of more than 64 KiB needs a place if it is a part of a result that is larger', async () => {
  const id = await jobOf('x'.repeat(100 * KIB));
  await service.work();
  await takeAllPlaces();
  expect(refused(await ask(`${JOBS}/${id}/result`, { Range: 'bytes=0-9' }))).toEqual(REFUSED);
  expect((await service.ask(`${JOBS}/${id}/result`, { method: 'HEAD', key })).status).toBe(200);
});

test('a response of more than 64 KiB needs a place its place is free again once it is sent', async () => {
  for (let n = 0; n < 10; n++) await service.post(JOBS, key, { url: LONG });
  for (let n = 0; n < 20; n++) expect((await ask(JOBS)).status).toBe(200);
  expect(await placesTaken()).toBe(0);
});

test.each([
  ['GET', JOBS],
  ['GET', BATCHES],
  ['GET', '/api/v1/account/activity'],
  ['GET', `${BATCHES}/id/results`],
  ['POST', `${BATCHES}/id/retry_failed`],
  ['GET', '/api/v1/webhooks/id/deliveries'],
])(
  'a call that reads or writes many items needs a place such as %s %s, which reads nothing without one',
  async (method, path) => {
    await takeAllPlaces();
    const unread = () => Promise.reject(new Error('It read.'));
    for (const port of [world.jobs, world.batches, world.activity, world.webhooks])
      for (const name of Object.keys(port)) Object.assign(port, { [name]: unread });
    const { limits } = await usage();
    expect(refused(await service.ask(path, { method, key }))).toEqual(REFUSED);
    expect(await usage()).toMatchObject({ limits });
  },
);

test('a call that reads or writes many items needs a place such as a batch of more than a hundred, of which nothing is then left', async () => {
  await takeAllPlaces();
  const requests = Array.from({ length: 101 }, () => ({ url: URL }));
  expect(refused(await service.post(BATCHES, key, { requests }))).toEqual(REFUSED);
  expect(world.jobs.all()).toEqual([]);
  expect((await service.post(BATCHES, key, { requests: requests.slice(1) })).status).toBe(202);
});

test('a call that reads or writes many items needs a place unlike other calls', async () => {
  const id = await jobOf('x');
  await takeAllPlaces();
  for (const path of [`${JOBS}/${id}`, '/api/v1/account', '/api/v1/account/usage'])
    expect((await ask(path)).status).toBe(200);
});

test('a worker reads an upload in a place, and tries again in ten seconds without one', async () => {
  const { json } = await service.post(BATCHES, key, { input: 'upload' });
  const path = `${BATCHES}/${String(json['batch_id'])}`;
  world.uploads.send(String(json['upload_url']), JSON.stringify({ url: URL }));
  await service.ask(`${path}/start`, { method: 'POST', key });
  await takeAllPlaces();
  const { kept, postponed } = await service.work();
  expect(kept.map((id) => postponed[id])).toEqual([10]);
  expect(service.lines.at(-1)).toMatchObject({ message: 'upload', code: 'too_many_concurrent' });
  world.pass(60_000);
  let taken = 0;
  const { read } = world.uploads;
  world.uploads.read = async (...range) => {
    taken = Math.max(taken, await placesTaken());
    return read(...range);
  };
  await service.work([{ uploadOf: String(json['batch_id']) }]);
  await service.work();
  expect((await ask(path)).json).toMatchObject({ status: 'completed', counts: { completed: 1 } });
  expect([taken, await placesTaken()]).toEqual([1, 0]);
});

const MOST = 256 * KIB;

test('long URLs end a page of a list early, and every job is on one page', async () => {
  const ids: unknown[] = [];
  for (let n = 0; n < 80; n++) {
    world.pass(1);
    ids.push((await service.post(JOBS, key, { url: LONG })).json['job_id']);
  }
  const seen: unknown[] = [];
  for (let path: string | undefined = `${JOBS}?limit=100`; path !== undefined;) {
    const { json, bytes, headers }: Answer = await ask(path);
    expect(bytes.byteLength).toBeLessThan(MOST + KIB);
    seen.push(...(json['data'] as { job_id: string }[]).map((job) => job.job_id));
    path = /<([^>]+)>/.exec(headers['Link'] ?? '')?.[1];
  }
  expect(seen).toEqual(ids.reverse());
});

test('long URLs fill a page of a list before all of them are read', async () => {
  for (let n = 0; n < 80; n++) await service.post(JOBS, key, { url: LONG });
  let read = 0;
  const { list } = world.jobs;
  world.jobs.list = async (...range) => {
    const found = await list(...range);
    read += found.jobs.length;
    return found;
  };
  expect((await ask(`${JOBS}?limit=80`)).json['next_cursor']).toBeDefined();
  expect(read).toBeLessThan(80);
});

test('long URLs have one line each in the results of a batch', async () => {
  const id = await batchOf(200, LONG);
  await finished(id);
  const lines: string[] = [];
  for (let path: string | undefined = `${BATCHES}/${id}/results`; path !== undefined;) {
    const { text, headers }: Answer = await ask(path);
    lines.push(...text.split('\n').filter(Boolean));
    path = /<([^>]+)>/.exec(headers['Link'] ?? '')?.[1];
  }
  const numbers = lines.map((line) => (JSON.parse(line) as { line: number }).line);
  expect([numbers.length, new Set(numbers).size]).toEqual([200, 200]);
});
