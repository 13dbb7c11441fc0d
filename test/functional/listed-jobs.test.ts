import { beforeEach, expect, test } from 'vitest';
import { AppError } from '../../shared/errors.ts';
import { key, newServiceEachTest, service, world } from '../support/world/each-test.ts';
import { page } from '../support/world/pages.ts';

const JOBS = '/api/v1/scraper/jobs';
const URL = 'https://example.com/';
const MINUTE_MS = 60_000;

newServiceEachTest();
beforeEach(() => {
  world.web[URL] = page('<h1>Hello</h1>');
});

async function submit(fields = {}): Promise<string> {
  world.pass(1_000);
  return String((await service.post(JOBS, key, { url: URL, ...fields })).json.job_id);
}
const list = (query = '', by = key) => service.ask(`${JOBS}${query}`, { key: by });
const idsIn = ({ json }: Awaited<ReturnType<typeof list>>) =>
  (json['data'] as { job_id: string }[]).map(({ job_id: id }) => id);

test('a list of jobs has the jobs of the organization, newest first, as their status shows them', async () => {
  expect((await list()).json).toEqual({ data: [] });
  const ids = [await submit(), await submit({ tags: ['nightly', 'shop:42'] })];
  const other = await service.organization();
  await service.post(JOBS, other.key, { url: URL });
  await service.work();
  const listed = await list();
  expect(idsIn(listed)).toEqual([...ids].reverse());
  const [newest] = listed.json['data'] as unknown[];
  expect(newest).toEqual((await service.ask(`${JOBS}/${ids[1]}`, { key })).json);
  expect(newest).toMatchObject({ status: 'completed', tags: ['nightly', 'shop:42'] });
  expect(listed.headers).toMatchObject({ 'X-Credits-Used': '0', 'RateLimit-Policy': '"read";q=600;w=60' });
  expect(listed.headers).not.toHaveProperty('Link');
});

test('a list of jobs has every job on exactly one page, while others come and settle', async () => {
  const ids: string[] = [];
  for (let n = 0; n < 25; n++) ids.push(await submit());
  const seen: string[] = [];
  let next: string | undefined = '?limit=10';
  for (let pages = 0; next !== undefined; pages++) {
    const { json, headers, status }: Awaited<ReturnType<typeof list>> = await list(next);
    expect([status, pages < 3]).toEqual([200, true]);
    seen.push(...idsIn({ json } as never));
    const cursor = json['next_cursor'] as string | undefined;
    const link = cursor && `<${JOBS}?limit=10&cursor=${cursor}>; rel="next"`;
    expect(headers['Link']).toBe(link);
    next = cursor && `?limit=10&cursor=${cursor}`;
    await submit();
    await service.work();
  }
  expect(seen).toEqual(ids.reverse());
});

test('a list of jobs is filtered by status, tag and time', async () => {
  world.web['https://gone.example/'] = new AppError('tls_failed');
  const first = await submit({ tags: ['a'] });
  const failed = await submit({ tags: ['a', 'b'], url: 'https://gone.example/' });
  await service.work();
  const pending = await submit({ tags: ['b'] });
  expect(idsIn(await list('?status=completed'))).toEqual([first]);
  expect(idsIn(await list('?status=failed'))).toEqual([failed]);
  expect(idsIn(await list('?tag=a'))).toEqual([failed, first]);
  expect(idsIn(await list('?tag=b&status=pending'))).toEqual([pending]);
  const { created_at: middle } = (await service.ask(`${JOBS}/${failed}`, { key })).json;
  expect(idsIn(await list(`?created_after=${String(middle)}`))).toEqual([pending, failed]);
  expect(idsIn(await list(`?created_before=${String(middle)}`))).toEqual([first]);
  expect(idsIn(await list('?created_before=2026-11-21T13:00:01.500%2B01:00'))).toEqual([first]);
});

test('a list of jobs forgets a job after its 30 days', async () => {
  await submit();
  await service.work();
  world.pass(30 * 24 * 60 * MINUTE_MS);
  expect(idsIn(await list())).toEqual([]);
});

test('a list of jobs continues behind many jobs that do not match', async () => {
  const wanted = await submit({ tags: ['wanted'] });
  for (let n = 0; n < 130; n++) {
    if (n % 50 === 0) world.pass(MINUTE_MS);
    await submit();
  }
  const { json } = await list('?tag=wanted&limit=1');
  expect(idsIn({ json } as never)).toEqual([wanted]);
});

test.each([
  ['?status=done', 'status'],
  ['?tag=two%20words', 'tag'],
  ['?limit=101', 'limit'],
  ['?limit=0', 'limit'],
  ['?created_after=yesterday', 'created_after'],
  ['?batch_id=nightly', 'batch_id'],
  ['?cursor=x', 'cursor'],
  ['?cursor=', 'cursor'],
  ['?colour=red', 'colour'],
])('a list of jobs with %s names the fault', async (query, param) => {
  const { status, json } = await list(query);
  expect([status, json['code'], json['param']]).toEqual([400, 'invalid_request', param]);
  expect(json['message']).toMatch(/: expected |^Unknown/);
});

test.each([
  [{ tags: ['two words'] }, 'tags[0]'],
  [{ tags: Array.from({ length: 11 }, String) }, 'tags'],
  [{ complete_within: 59 }, 'complete_within'],
  [{ complete_within: 86_401 }, 'complete_within'],
  [{ max_credits: -1 }, 'max_credits'],
])('a submit with %o is refused', async (fields, param) => {
  const { status, json } = await service.post(JOBS, key, { url: URL, ...fields });
  expect([status, json['param']]).toEqual([400, param]);
  expect(world.jobs.all()).toEqual([]);
});

test('a sync scrape takes neither tags nor complete_within', async () => {
  for (const fields of [{ tags: ['a'] }, { complete_within: 60 }])
    expect((await service.post('/api/v1/scraper', key, { url: URL, ...fields })).status).toBe(400);
});

test('a scrape that could cost more than its max_credits is refused before any work', async () => {
  world.web[URL] = () => Promise.reject(new Error('The page was fetched.'));
  const wanted = { url: URL, render_js: true, max_credits: 4 };
  for (const path of ['/api/v1/scraper', JOBS]) {
    const { status, json, headers } = await service.post(path, key, wanted);
    expect([status, json['code'], json['param'], json['credits_required']]).toEqual([
      402,
      'cost_cap_exceeded',
      'max_credits',
      5,
    ]);
    expect(headers).toMatchObject({ 'X-Credits-Used': '0', 'X-Credits-Remaining': '1000' });
  }
  expect(world.jobs.all()).toEqual([]);
  world.web[URL] = page('<h1>Hello</h1>');
  expect((await service.post('/api/v1/scraper', key, { ...wanted, max_credits: 5 })).status).toBe(200);
  const query = new URLSearchParams({ url: URL, max_credits: '0' }).toString();
  expect((await service.ask(`/api/v1/scraper?${query}`, { key })).status).toBe(402);
});

const cancel = (id: string, by = key) => service.ask(`${JOBS}/${id}/cancel`, { method: 'POST', key: by });
const remaining = async () => Number((await list()).headers['X-Credits-Remaining']);

test('cancelling a job that waits ends it, free of charge', async () => {
  const id = await submit();
  const { status, json } = await cancel(id);
  expect([status, json]).toMatchObject([
    200,
    { status: 'failed', error_code: 'cancelled', credits_reason: 'no_page', credits_used: 0 },
  ]);
  await service.work();
  expect((await service.ask(`${JOBS}/${id}`, { key })).json).toEqual(json);
  const result = await service.ask(`${JOBS}/${id}/result`, { key });
  expect([result.status, result.json['code']]).toEqual([422, 'cancelled']);
  expect(await remaining()).toBe(1_000);
  const again = await cancel(id);
  expect([again.status, again.json['code'], again.json['status']]).toEqual([409, 'job_finished', 'failed']);
});

test('cancelling a job that runs aborts its scrape and frees its slot and credits', async () => {
  const one = await service.organization({ overrides: { concurrency: 1 } });
  const aborted = Promise.withResolvers<unknown>();
  world.web[URL] = (signal) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        aborted.resolve(signal.reason);
        reject(signal.reason as Error);
      });
    });
  const { job_id: id } = (await service.post(JOBS, one.key, { url: URL })).json;
  const working = service.work();
  const shown = async () => (await service.ask(`${JOBS}/${String(id)}`, { key: one.key })).json;
  await expect.poll(shown).toMatchObject({ status: 'running' });
  expect((await cancel(String(id), one.key)).status).toBe(200);
  world.web[URL] = page('<h1>Hello</h1>');
  expect((await service.post('/api/v1/scraper', one.key, { url: URL })).status).toBe(200);
  expect(await aborted.promise).toMatchObject({ code: 'cancelled' });
  expect(await working).toEqual({ postponed: {}, kept: [] });
  expect(await shown()).toMatchObject({ status: 'failed', error_code: 'cancelled' });
  expect((await list('', one.key)).headers['X-Credits-Remaining']).toBe('999');
});

test('cancelling a job of another organization, or of none, is a 404', async () => {
  const id = await submit();
  const other = await service.organization();
  expect((await cancel(id, other.key)).status).toBe(404);
  expect((await cancel('x')).status).toBe(404);
  expect((await service.ask(`${JOBS}/${id}`, { key })).json).toMatchObject({ status: 'pending' });
});

const remove = (id: string, by = key) => service.ask(`${JOBS}/${id}`, { method: 'DELETE', key: by });
const isGone = async (id: string) => {
  for (const path of ['', '/result'])
    expect((await service.ask(`${JOBS}/${id}${path}`, { key })).status).toBe(404);
  expect(idsIn(await list())).not.toContain(id);
  expect(world.jobs.all()).toEqual([]);
};

test('deleting a job that completed removes its result and record, not its charge', async () => {
  const id = await submit();
  await service.work();
  const [job] = world.jobs.all();
  const stored = job?.status === 'completed' ? job.resultKey : '';
  const { status, text, headers } = await remove(id);
  expect([status, text]).toEqual([204, '']);
  expect(headers['X-Credits-Remaining']).toBe('999');
  await isGone(id);
  expect(await world.results.open(stored)).toBeUndefined();
  expect((await remove(id)).status).toBe(404);
});

test('deleting a job that waits cancels it', async () => {
  const id = await submit();
  expect((await remove(id)).status).toBe(204);
  expect(await service.work()).toEqual({ postponed: {}, kept: [] });
  await isGone(id);
  expect((await list()).headers['X-Credits-Remaining']).toBe('1000');
});

test('deleting a job that runs leaves neither its slot nor its page behind', async () => {
  const fetching = Promise.withResolvers<undefined>();
  const finish = Promise.withResolvers<undefined>();
  const stored: string[] = [];
  const { put } = world.results;
  world.results.put = (name, bytes) => {
    stored.push(name);
    return put(name, bytes);
  };
  world.web[URL] = async () => {
    fetching.resolve(undefined);
    await finish.promise;
    return page('<h1>Hello</h1>');
  };
  const id = await submit();
  const working = service.work();
  await fetching.promise;
  expect((await remove(id)).status).toBe(204);
  finish.resolve(undefined);
  await working;
  await isGone(id);
  expect(stored).toHaveLength(1);
  expect(await world.results.open(stored[0] ?? '')).toBeUndefined();
  expect((await list()).headers['X-Credits-Remaining']).toBe('1000');
});

test('deleting a job of another organization is a 404', async () => {
  const id = await submit();
  const other = await service.organization();
  expect((await remove(id, other.key)).status).toBe(404);
  expect(world.jobs.all()).toHaveLength(1);
});

const submitAndWait = (seconds: string, headers = {}) =>
  service.post(JOBS, key, { url: URL }, { Prefer: `wait=${seconds}`, ...headers });
/** Runs each job at once when it is sent. */
function workAtOnce() {
  const { send } = world.queue;
  world.queue.send = async (job) => {
    await send(job);
    await service.work();
  };
}

test('a submit that prefers to wait gets the result with what it cost', async () => {
  workAtOnce();
  const { status, text, headers } = await submitAndWait('30');
  const id = headers['X-Job-Id'] ?? '';
  const result = await service.ask(`${JOBS}/${id}/result`, { key });
  expect([status, text]).toEqual([200, result.text]);
  expect(headers).toMatchObject({
    'Content-Location': `${JOBS}/${id}/result`,
    'Preference-Applied': 'wait=30',
    'X-Credits-Used': '1',
    'X-Credits-Remaining': '999',
    'X-Credits-Reason': 'page',
    'X-Target-Status': '200',
    ETag: result.headers['ETag'],
  });
});

test('a submit that prefers to wait gets the error of a job that fails', async () => {
  world.web[URL] = new AppError('tls_failed');
  workAtOnce();
  const { status, json, headers } = await submitAndWait('60');
  expect([status, json['code'], json['status']]).toEqual([422, 'tls_failed', 'failed']);
  expect(headers).toMatchObject({
    'X-Job-Id': expect.any(String) as string,
    'Preference-Applied': 'wait=60',
    'X-Credits-Used': '0',
    'X-Credits-Reason': 'no_page',
  });
});

test('a submit that prefers to wait gets its 202 after that time, and the job continues', async () => {
  const before = world.now().getTime();
  const { status, json, headers } = await submitAndWait('7');
  expect([status, json['status']]).toEqual([202, 'pending']);
  expect(world.now().getTime() - before).toBe(7_000);
  expect(headers).not.toHaveProperty('Preference-Applied');
  await service.work();
  const { job_id: id } = json;
  expect((await service.ask(`${JOBS}/${String(id)}`, { key })).json).toMatchObject({ status: 'completed' });
});

test('a submit that prefers to wait waits a minute at most, and reads the job twice a second', async () => {
  const before = world.now().getTime();
  let reads = 0;
  const { find } = world.jobs;
  world.jobs.find = (id) => {
    reads += 1;
    return find(id);
  };
  expect((await submitAndWait('600')).status).toBe(202);
  expect(world.now().getTime() - before).toBe(60_000);
  expect(reads).toBeLessThanOrEqual(121);
});

test.each(['0', 'x', '', '-1', '1.5'])(
  'a submit that prefers to wait of %s seconds does not wait',
  async (seconds) => {
    const before = world.now().getTime();
    expect((await submitAndWait(seconds)).status).toBe(202);
    expect(world.now().getTime()).toBe(before);
  },
);

test('a submit that prefers to wait gets the same result and cost again for the same Idempotency-Key', async () => {
  workAtOnce();
  const repeat = () => submitAndWait('30', { 'Idempotency-Key': 'a' });
  const [first, second] = [await repeat(), await repeat()];
  expect([second.status, second.text]).toEqual([200, first.text]);
  expect(second.headers['X-Job-Id']).toBe(first.headers['X-Job-Id']);
  expect([first, second].map(({ headers }) => headers['Idempotent-Replayed'])).toEqual([undefined, 'true']);
  expect((await list()).headers['X-Credits-Remaining']).toBe('999');
});

test('a submit that prefers to wait gets the same error again for the same Idempotency-Key, marked as a replay', async () => {
  world.web[URL] = new AppError('tls_failed');
  workAtOnce();
  const repeat = () => submitAndWait('30', { 'Idempotency-Key': 'a' });
  const [first, second] = [await repeat(), await repeat()];
  expect([first, second].map(({ status }) => status)).toEqual([422, 422]);
  expect([first, second].map(({ headers }) => headers['Idempotent-Replayed'])).toEqual([undefined, 'true']);
});

test('a submit that prefers to wait gets its 202 if the result cannot be sent now', async () => {
  workAtOnce();
  world.results.open = () => Promise.reject(new Error('The store is down.'));
  const { status, json, headers } = await submitAndWait('30');
  expect(status).toBe(202);
  expect(headers).toMatchObject({ 'X-Credits-Used': '0', 'X-Credits-Reason': 'free' });
  expect(headers).not.toHaveProperty('Preference-Applied');
  const { json: shown } = await service.ask(`${JOBS}/${String(json['job_id'])}`, { key });
  expect(shown).toMatchObject({ status: 'completed' });
});

test('a submit that prefers to wait is led to the store if it prefers that too', async () => {
  workAtOnce();
  const { status, headers } = await service.post(
    JOBS,
    key,
    { url: URL },
    { Prefer: 'respond-redirect, wait=5' },
  );
  expect([status, headers['Preference-Applied']]).toEqual([303, 'respond-redirect, wait=5']);
});

test('complete_within bounds the time that a job waits', async () => {
  world.web[URL] = new AppError('busy');
  const id = await submit({ complete_within: 3_600, render_js: true });
  const shown = async () => (await service.ask(`${JOBS}/${id}`, { key })).json;
  for (let minute = 0; minute < 59; minute++) {
    world.pass(MINUTE_MS);
    await service.work([id]);
  }
  expect(await shown()).toMatchObject({ status: 'running', attempts: 0 });
  world.pass(MINUTE_MS);
  await service.work([id]);
  expect(await shown()).toMatchObject({ status: 'failed', error_code: 'deadline_exceeded', credits_used: 0 });
});
