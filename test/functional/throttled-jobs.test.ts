import { beforeEach, expect, test } from 'vitest';
import { AppError } from '../../shared/errors.ts';
import { asNewOrganization, key, newServiceEachTest, service, world } from '../support/world/each-test.ts';
import { page } from '../support/world/pages.ts';

const JOBS = '/api/v1/scraper/jobs';
const URL = 'https://example.com/';
const MINUTE_MS = 60_000;

let id: string;

newServiceEachTest({ overrides: { concurrency: 1, credits: 5 } });
beforeEach(async () => {
  const accepted = await service.post(JOBS, key, { url: URL, render_js: true });
  id = String(accepted.json.job_id);
});

const status = async () => (await service.ask(`${JOBS}/${id}`, { key })).json;
const scrape = () => service.post('/api/v1/scraper', key, { url: 'https://other.example/' });

/** Delivers the message of the job, and advances the clock until it would be redelivered, or replaced. */
async function workAndWait(): Promise<number> {
  world.queue.take();
  const { postponed, kept } = await service.work([id]);
  const isReplaced = kept.length === 0 && world.queue.take().length > 0;
  const seconds = postponed[id] ?? (isReplaced ? world.queue.lastDelay() : 0);
  world.pass(seconds * 1_000);
  return seconds;
}

test('a job waits for a free browser without using up an attempt', async () => {
  world.web[URL] = new AppError('busy');
  const waits: number[] = [];
  for (let n = 0; n < 12; n += 1) waits.push(await workAndWait());
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(5);
  expect(Math.max(...waits)).toBeLessThanOrEqual(15);
  expect(new Set(waits).size).toBeGreaterThan(3);
  expect(await status()).toMatchObject({ status: 'running', attempts: 0, credits_used: 0 });

  world.web[URL] = page('at last');
  await service.work([id]);
  expect(await status()).toMatchObject({ status: 'completed', attempts: 1, credits_used: 5 });
});

test('a job that waits for a browser gets a new message each time, so that none becomes a dead letter', async () => {
  world.web[URL] = new AppError('busy');
  world.queue.take();
  const { kept } = await service.work([id]);
  expect([kept, world.queue.take()]).toEqual([[], [{ jobId: id }]]);
  const { send } = world.queue;
  world.queue.send = () => Promise.reject(new Error('down'));
  world.pass(MINUTE_MS);
  expect((await service.work([id])).kept).toEqual([id]);
  world.queue.send = send;
});

test('a job that gets no browser for an hour is rendered once there is one, if it has the time', async () => {
  await asNewOrganization({ overrides: { concurrency: 1, credits: 5 } });
  const submit = { url: URL, render_js: true, complete_within: 7_200 };
  const patient = String((await service.post(JOBS, key, submit)).json.job_id);
  world.web[URL] = new AppError('busy');
  id = patient;
  for (const begun = world.now().getTime(); world.now().getTime() < begun + 60 * MINUTE_MS;) {
    await workAndWait();
    expect((await status())['attempts']).toBe(0);
  }
  world.web[URL] = page('at last');
  await service.work([id]);
  expect(await status()).toMatchObject({ status: 'completed', attempts: 1 });
});

test('a job that waits for a browser releases its slot and its credits', async () => {
  world.web[URL] = new AppError('busy');
  world.web['https://other.example/'] = page('hello');
  await service.work([id]);
  const { status: answered, headers } = await scrape();
  expect(answered).toBe(200);
  expect(headers['X-Credits-Remaining']).toBe('4');
});

test('a job that gets no browser in 15 minutes fails free of charge', async () => {
  world.web[URL] = new AppError('busy');
  const submitted = world.now().getTime();
  for (let n = 0; n < 15 * 12 && world.now().getTime() < submitted + 15 * MINUTE_MS; n += 1) {
    expect(await status()).not.toMatchObject({ status: 'failed' });
    await workAndWait();
  }
  await service.work([id]);
  expect(await status()).toMatchObject({
    status: 'failed',
    attempts: 0,
    credits_used: 0,
    error_code: 'deadline_exceeded',
  });
});

test('waiting for a browser refunds its own attempt only', async () => {
  const crash = new AppError('browser_crashed');
  for (const [answer, attempts] of [
    [crash, 1],
    [new AppError('busy'), 1],
    [new AppError('busy'), 1],
    [crash, 2],
    [new AppError('busy'), 2],
    [crash, 3],
  ] as const) {
    world.web[URL] = answer;
    await workAndWait();
    expect(await status()).toMatchObject({ attempts });
  }
  expect(await status()).toMatchObject({ status: 'failed', error_code: 'browser_crashed' });
});

test('a throttled write of the page uses up an attempt, because the target was visited', async () => {
  world.web[URL] = page('hello');
  world.results.put = () => Promise.reject(new AppError('busy'));
  for (const attempts of [1, 2, 3]) {
    await workAndWait();
    expect(await status()).toMatchObject({ attempts });
  }
  expect(await status()).toMatchObject({ status: 'failed', error_code: 'busy' });
});

test('the sweeper does not requeue a job that a worker keeps postponing', async () => {
  world.web[URL] = new AppError('busy');
  world.queue.take();
  for (let n = 0; n < 30; n += 1) {
    expect(await workAndWait()).toBeGreaterThan(0);
    await service.sweep();
  }
  expect(world.queue.take()).toEqual([]);
  world.pass(2 * MINUTE_MS);
  await service.sweep();
  expect(world.queue.take()).toEqual([{ jobId: id }]);
});
