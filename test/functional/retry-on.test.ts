import { beforeEach, expect, test } from 'vitest';
import type { Page } from '../../shared/contract/scrape/page.ts';
import { AppError } from '../../shared/errors.ts';
import {
  JOBS,
  key,
  newServiceEachTest,
  service,
  shown,
  submitJob,
  world,
} from '../support/world/each-test.ts';
import { page } from '../support/world/pages.ts';

const SCRAPE = '/api/v1/scraper';
const URL = 'https://example.com/';
const BUSY = page('busy', { status: 503 });
let asked = 0;

newServiceEachTest();
beforeEach(() => {
  asked = 0;
});

/** The target's responses, one after another; the last one again and again. */
function responds(...responses: (Page | AppError)[]): void {
  world.web[URL] = () => {
    const next = responses[Math.min(asked, responses.length - 1)] as Page | AppError;
    asked += 1;
    return next instanceof AppError ? Promise.reject(next) : Promise.resolve(next);
  };
}

const submit = (more: object = {}) => submitJob({ url: URL, retry_on: [429, 503], ...more });

/** Runs the job now, and returns the seconds until its next attempt. */
async function attempt(id: string): Promise<number | undefined> {
  const { postponed } = await service.work([id]);
  return Object.values(postponed)[0];
}

async function attemptIn(seconds: number, id: string): Promise<number | undefined> {
  world.pass(seconds * 1_000);
  return attempt(id);
}

test('a job with retry_on tries again after a status that it names, and is charged for the page alone', async () => {
  responds(BUSY, page('no', { status: 429 }), page('fine'));
  const id = await submit();
  expect(await attempt(id)).toBe(5);
  expect(await shown(id)).toMatchObject({
    status: 'running',
    attempts: 1,
    credits_used: 0,
    last_error: { code: 'target_status', message: 'The target responded with 503.' },
    next_attempt_at: new Date(world.now().getTime() + 5_000).toISOString(),
  });
  expect(await attemptIn(5, id)).toBe(20);
  expect(await attemptIn(20, id)).toBeUndefined();
  expect(await shown(id)).toMatchObject({
    status: 'completed',
    attempts: 3,
    credits_used: 1,
    target_status: 200,
  });
  expect((await service.ask(`${JOBS}/${id}/result`, { key })).text).toBe('fine');
});

test('a job with retry_on returns the page of its third attempt, uncharged', async () => {
  responds(BUSY);
  const id = await submit();
  await attempt(id);
  await attemptIn(5, id);
  await attemptIn(20, id);
  expect(await shown(id)).toMatchObject({
    status: 'completed',
    attempts: 3,
    target_status: 503,
    credits_used: 0,
    credits_reason: 'target_status',
  });
  const { text, headers } = await service.ask(`${JOBS}/${id}/result`, { key });
  expect([text, headers['X-Target-Status'], asked]).toEqual(['busy', '503', 3]);
});

test('a job with retry_on tries again though the page has no such format', async () => {
  responds(page('{}', { status: 503, contentType: 'application/json' }), page('<p>fine'));
  const id = await submit({ format: 'text' });
  expect(await attempt(id)).toBe(5);
  await attemptIn(5, id);
  expect((await service.ask(`${JOBS}/${id}/result`, { key })).text).toBe('fine\n');
});

test('a job with retry_on is the same for rendered pages, and for scenarios that fail on such a page', async () => {
  const failed = new AppError('scenario_failed', { fields: { target_status: 503 } });
  responds(BUSY, failed, page('fine'));
  const id = await submit({ render_js: true });
  expect([await attempt(id), await attemptIn(5, id), await attemptIn(20, id)]).toEqual([5, 20, undefined]);
  expect(await shown(id)).toMatchObject({ status: 'completed', credits_used: 5 });
});

test.each([[404], [500]])(
  'a job with retry_on takes a page with %i, which it does not name',
  async (status) => {
    responds(page('x', { status }));
    const id = await submit();
    expect(await attempt(id)).toBeUndefined();
    expect(await shown(id)).toMatchObject({ status: 'completed', attempts: 1, target_status: status });
  },
);

test('a job with retry_on that names none takes every page', async () => {
  responds(BUSY);
  const id = await submitJob({ url: URL });
  await attempt(id);
  expect(await shown(id)).toMatchObject({ status: 'completed', attempts: 1 });
});

const busy = (after: string | string[], more = {}) =>
  page('busy', { status: 503, headers: { 'retry-after': after, ...more } });

test.each<[string, Page, number]>([
  ['seconds', busy('90'), 90],
  ['none', busy('0'), 1],
  ['a date', busy('Sat, 21 Nov 2026 12:01:00 GMT'), 60],
  [
    "a date by the target's clock",
    busy('Sat, 21 Nov 2026 10:00:30 GMT', { date: 'Sat, 21 Nov 2026 10:00:00 GMT' }),
    30,
  ],
  ['a date in the past', busy('Fri, 20 Nov 2026 12:00:00 GMT'), 1],
  ['the first of two', busy(['7', '9']), 7],
  ['what is no time', busy('soon'), 5],
  ['a fraction', busy('1.5'), 5],
  ['a negative number', busy('-3'), 5],
])('Retry-After counts as %s', async (_, response, seconds) => {
  responds(response);
  expect(await attempt(await submit())).toBe(seconds);
});

test('Retry-After beyond the time of the job ends it with the page', async () => {
  responds(busy('3600'));
  const id = await submit();
  expect(await attempt(id)).toBeUndefined();
  expect(await shown(id)).toMatchObject({
    status: 'completed',
    attempts: 1,
    target_status: 503,
    credits_used: 0,
  });
});

test('Retry-After within complete_within is heeded, and beyond it is not', async () => {
  responds(busy('90'));
  const [short, long] = [await submit({ complete_within: 60 }), await submit({ complete_within: 120 })];
  expect([await attempt(short), await attempt(long)]).toEqual([undefined, 90]);
});

test.each([
  [[503, 200], 'retry_on[1]', 'expected a whole number from 400 to 599'],
  [[404], 'retry_on[0]', 'expected no 404 or 410, which are charged'],
  [['503'], 'retry_on[0]', 'expected a whole number from 400 to 599'],
  [[], 'retry_on', 'must not be empty'],
  [Array.from({ length: 21 }, (_, n) => 500 + n), 'retry_on', '20'],
  [503, 'retry_on', 'expected'],
])('retry_on: %j is refused', async (retry_on, param, problem) => {
  const { status, json } = await service.post(JOBS, key, { url: URL, retry_on });
  expect([status, json.code, json.param]).toEqual([400, 'invalid_request', param]);
  expect(json.message).toContain(problem);
});

test('retry_on is not taken with a request that must not be repeated', async () => {
  const { status, json } = await service.post(JOBS, key, { url: URL, retry_on: [503], method: 'POST' });
  expect([status, json.param, json.message]).toEqual([
    400,
    'retry_on',
    "Invalid value for 'retry_on': only allowed with the method GET.",
  ]);
});

test('retry_on is not for sync scrapes', async () => {
  const hint = 'Single jobs take it: POST /api/v1/scraper/jobs.';
  const sync = await service.post(SCRAPE, key, { url: URL, retry_on: [503] });
  expect([sync.status, sync.json.message]).toEqual([400, `Unknown field 'retry_on'. ${hint}`]);
  const query = await service.ask(`${SCRAPE}?url=${URL}&retry_on=503`, { key });
  expect([query.status, query.json.message]).toEqual([400, `Unknown field 'retry_on'. ${hint}`]);
});

const BATCHES = `${SCRAPE}/batches`;

test.each(['a request', 'the defaults'])(
  'a batch with retry_on of %s tries again, and is charged for the page alone',
  async (of) => {
    responds(BUSY, page('fine'));
    const body =
      of === 'a request'
        ? { requests: [{ url: URL, retry_on: [503] }] }
        : { defaults: { retry_on: [503] }, requests: [{ url: URL }] };
    const { json } = await service.post(BATCHES, key, body);
    await service.work();
    world.pass(5_000);
    await service.work();
    expect((await service.ask(`${BATCHES}/${String(json['batch_id'])}`, { key })).json).toMatchObject({
      status: 'completed',
      counts: { completed: 1, charged: 1 },
      credits_used: 1,
    });
    expect(asked).toBe(2);
  },
);

async function upload(line: object, fields = {}) {
  const { json } = await service.post(BATCHES, key, { input: 'upload', ...fields });
  world.uploads.send(String(json['upload_url']), JSON.stringify(line));
  const path = `${BATCHES}/${String(json['batch_id'])}`;
  await service.ask(`${path}/start`, { method: 'POST', key });
  await service.work();
  await service.work();
  const lines = async () => (await service.ask(`${path}/results?include=body`, { key })).text;
  return { lines, path };
}
async function workIn(seconds: number) {
  world.pass(seconds * 1_000);
  await service.sweepBacklogs();
  await service.work();
}

test('a batch with retry_on tries the line of an upload again after the time that Retry-After names, and not before', async () => {
  responds(page('busy', { status: 503, headers: { 'retry-after': '90' } }), page('fine'));
  const { lines } = await upload({ url: URL, retry_on: [503] });
  await workIn(60);
  expect([asked, await lines()]).toEqual([1, '']);
  await workIn(31);
  expect(asked).toBe(2);
  expect(JSON.parse(await lines())).toMatchObject({ attempts: 2, credits_used: 1, body: 'fine' });
});

test('a batch with retry_on returns the page of the third attempt, uncharged', async () => {
  responds(BUSY);
  const { lines } = await upload({ url: URL }, { defaults: { retry_on: [503] } });
  await workIn(6);
  await workIn(21);
  expect(asked).toBe(3);
  expect(JSON.parse(await lines())).toMatchObject({
    status: 'completed',
    attempts: 3,
    target_status: 503,
    credits_used: 0,
  });
});

test('a batch with retry_on takes the page if Retry-After is beyond the time of the batch', async () => {
  responds(page('busy', { status: 503, headers: { 'retry-after': '90' } }));
  const { lines } = await upload({ url: URL, retry_on: [503] }, { complete_within: 60 });
  expect(JSON.parse(await lines())).toMatchObject({ status: 'completed', attempts: 1, target_status: 503 });
});
