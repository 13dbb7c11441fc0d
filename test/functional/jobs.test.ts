import { beforeEach, describe, expect, test } from 'vitest';
import { API_URL } from '../support/world/in-memory-world.ts';
import { setStatus } from '../../shared/use-cases/accounts/manage-organizations.ts';
import { acceptJob } from '../../shared/domain/jobs/state.ts';
import { AppError } from '../../shared/errors.ts';
import { serviceOver } from '../support/world/api.ts';
import { JOBS, key, newServiceEachTest, orgId, service, shown, world } from '../support/world/each-test.ts';
import { pendingJob } from '../support/world/jobs.ts';
import { page } from '../support/world/pages.ts';

const URL = 'https://example.com/';
const MINUTE_MS = 60_000;
const NOTHING = { failed: 0, resent: 0, settled: 0, owned: 0 };
const DAY_MS = 24 * 60 * MINUTE_MS;

newServiceEachTest();
beforeEach(() => {
  world.web[URL] = page('<h1>Hello</h1>');
});

async function submit(fields = {}, headers = {}): Promise<string> {
  const answer = await service.post(JOBS, key, { url: URL, ...fields }, headers);
  return String(answer.json.job_id);
}
const result = (id: string) => service.ask(`${JOBS}/${id}/result`, { key });
const remaining = async () =>
  Number((await service.ask(`${JOBS}/none`, { key })).headers['X-Credits-Remaining']);

test('a job has links by the URL of the API, whatever host and stage its submit names', async () => {
  const answer = await service.ask(JOBS, {
    method: 'POST',
    mount: '/dev',
    key,
    headers: {
      'Content-Type': 'application/json',
      Host: 'evil.example',
      'X-Forwarded-Host': 'evil.example',
    },
    body: { url: URL },
  });
  const path = `${JOBS}/${String(answer.json.job_id)}`;
  const statusUrl = API_URL + path;
  expect(answer.headers.Location).toBe(`/dev${path}`);
  expect(answer.json).toMatchObject({ status_url: statusUrl, result_url: `${statusUrl}/result` });
});

test('a job is accepted and run, and its result equals the sync response', async () => {
  const accepted = await service.post(JOBS, key, { url: URL });
  expect(accepted.status).toBe(202);
  const id = String(accepted.json.job_id);
  expect(accepted.json).toEqual({
    job_id: id,
    status: 'pending',
    created_at: '2026-11-21T12:00:00.000Z',
    status_url: `${API_URL}${JOBS}/${id}`,
    result_url: `${API_URL}${JOBS}/${id}/result`,
  });
  expect(accepted.headers).toMatchObject({
    Location: `${JOBS}/${id}`,
    'Retry-After': '1',
    'X-Credits-Used': '0',
    'X-RateLimit-Remaining': '59',
  });
  expect(await shown(id)).toMatchObject({ status: 'pending', attempts: 0, credits_used: 0, url: URL });

  world.pass(1_000);
  expect(await service.work()).toEqual({ postponed: {}, kept: [] });

  expect(await shown(id)).toEqual({
    job_id: id,
    status: 'completed',
    url: URL,
    created_at: '2026-11-21T12:00:00.000Z',
    started_at: '2026-11-21T12:00:01.000Z',
    completed_at: '2026-11-21T12:00:01.000Z',
    expires_at: '2026-12-21T12:00:01.000Z',
    attempts: 1,
    credits_used: 1,
    credits_reason: 'page',
    target_status: 200,
    target_url: URL,
    content_type: 'text/html',
    bytes: 14,
    verdict: 'page',
  });
  const [got, sync] = [await result(id), await service.post('/api/v1/scraper', key, { url: URL })];
  expect(got.status).toBe(200);
  expect(got.text).toBe(sync.text);
  for (const name of ['Content-Type', 'X-Target-Status', 'X-Target-Url', 'X-Target-Redirects']) {
    expect(got.headers[name]).toBe(sync.headers[name]);
  }
  expect(got.headers).toMatchObject({ 'X-Credits-Used': '0', 'RateLimit-Policy': '"read";q=600;w=60' });
});

test('a job is accepted and run once when its message cannot be sent', async () => {
  const { send } = world.queue;
  world.queue.send = () => Promise.reject(new Error('the queue is gone'));
  const accepted = await service.post(JOBS, key, { url: URL });
  expect(accepted.status).toBe(202);
  expect(service.lines.at(-1)).toMatchObject({ status: 202, code: 'internal' });
  world.queue.send = send;
  world.pass(MINUTE_MS);
  await service.sweep();
  await service.work();
  const job = await shown(String(accepted.json.job_id));
  expect(job).toMatchObject({ status: 'completed', credits_used: 1 });
  expect(await remaining()).toBe(999);
});

test('a job is charged once when its message is delivered repeatedly', async () => {
  const id = await submit({ render_js: true });
  await service.work([id, id]);
  await service.work([id]);
  expect(await shown(id)).toMatchObject({ status: 'completed', attempts: 1, credits_used: 5 });
  expect(await remaining()).toBe(995);
});

test('a job returns 409 for a result that is not ready', async () => {
  const id = await submit();
  const answer = await result(id);
  expect(answer.status).toBe(409);
  expect(answer.json).toMatchObject({ error: 'Conflict', code: 'job_not_finished', status: 'pending' });
  expect(answer.headers['Retry-After']).toBe('1');
  world.pass(10_000);
  expect((await result(id)).headers['Retry-After']).toBe('5');
});

test('a job that has sent a POST is not tried again, even if its page cannot be converted in time', async () => {
  let sent = 0;
  const fetchPage = () => {
    sent += 1;
    return Promise.resolve(page('<p>x</p>'));
  };
  const convert = () => Promise.reject(new AppError('timeout'));
  const over = serviceOver({ ...world, fetchPage, convert });
  const id = await submit({ method: 'POST', body: 'a=1', format: 'text' });
  for (let attempt = 0; attempt < 3; attempt += 1) {
    await over.work([id]);
    world.pass(MINUTE_MS);
  }
  expect(await shown(id)).toMatchObject({ status: 'failed', attempts: 1, error_code: 'maybe_sent' });
  expect(sent).toBe(1);
});

test('a job that meets a fault of the service keeps no slot, and has failed after three attempts', async () => {
  const { key: other } = await service.organization({ overrides: { concurrency: 1 } });
  world.web[URL] = () => Promise.reject(new RangeError('a fault'));
  const { json } = await service.post(JOBS, other, { url: URL });
  const id = String(json['job_id']);
  expect((await service.work([id])).postponed).toEqual({ [id]: 5 });
  world.web['https://other.example/'] = page('<p>x</p>');
  expect((await service.post('/api/v1/scraper', other, { url: 'https://other.example/' })).status).toBe(200);
  world.pass(5_000);
  expect((await service.work([id])).postponed).toEqual({ [id]: 20 });
  world.pass(20_000);
  expect(await service.work([id])).toEqual({ postponed: {}, kept: [] });
  expect((await service.ask(`${JOBS}/${id}`, { key: other })).json).toMatchObject({
    ...{ status: 'failed', attempts: 3, credits_used: 0, error_code: 'attempts_exhausted' },
  });
  const faults = service.lines.filter(({ code }) => code === 'internal');
  expect(faults.map(({ message, level }) => [message, level])).toEqual(Array(3).fill(['job', 'error']));
});

test('a job that may act is not sent again after a fault of the service', async () => {
  let sent = 0;
  world.web[URL] = () => {
    sent += 1;
    return Promise.reject(new RangeError('a fault'));
  };
  const id = await submit({ method: 'POST', body: 'a=1' });
  expect(await service.work([id])).toEqual({ postponed: {}, kept: [] });
  expect(await shown(id)).toMatchObject({ status: 'failed', attempts: 1, error_code: 'maybe_sent' });
  expect(sent).toBe(1);
});

test('a job is tried three times after temporary errors, then fails free of charge', async () => {
  world.web[URL] = new AppError('connect_failed');
  const id = await submit();
  expect(await service.work([id])).toEqual({ postponed: { [id]: 5 }, kept: [id] });
  expect(await shown(id)).toMatchObject({
    status: 'running',
    attempts: 1,
    next_attempt_at: '2026-11-21T12:00:05.000Z',
    last_error: { code: 'connect_failed', message: 'The target could not be reached.' },
  });
  world.pass(5_000);
  expect((await service.work([id])).postponed).toEqual({ [id]: 20 });
  world.pass(20_000);
  expect(await service.work([id])).toEqual({ postponed: {}, kept: [] });
  expect(await shown(id)).toMatchObject({
    status: 'failed',
    attempts: 3,
    credits_used: 0,
    error_code: 'connect_failed',
    error: 'The target could not be reached.',
  });
  expect(await remaining()).toBe(1_000);
  const answer = await result(id);
  expect(answer.status).toBe(422);
  expect(answer.json).toMatchObject({
    error: 'Unprocessable Entity',
    code: 'connect_failed',
    status: 'failed',
  });
});

test('a job fails at once after a permanent error', async () => {
  world.web[URL] = new AppError('tls_failed');
  const id = await submit();
  await service.work();
  expect(await shown(id)).toMatchObject({ status: 'failed', attempts: 1, error_code: 'tls_failed' });
});

test('a job of another organization returns the same 404 as an unknown or malformed id', async () => {
  const id = await submit();
  const other = await service.organization();
  const answers = await Promise.all([
    service.ask(`${JOBS}/${id}`, { key: other.key }),
    service.ask(`${JOBS}/not-an-id`, { key }),
    service.ask(`${JOBS}/019a0000-0000-7000-8000-000000000000/result`, { key }),
  ]);
  for (const { status: code, json } of answers) {
    expect(code).toBe(404);
    expect({ ...json, request_id: '' }).toEqual({ ...answers[0].json, request_id: '' });
  }
});

test('a job expires exactly 30 days after it finished', async () => {
  const id = await submit();
  await service.work();
  world.pass(30 * DAY_MS - 1_000);
  expect((await result(id)).status).toBe(200);
  world.pass(1_000);
  expect((await result(id)).status).toBe(404);
  expect((await service.ask(`${JOBS}/${id}`, { key })).status).toBe(404);
});

test('workers that die holding all slots of an organization leave them to the next attempt', async () => {
  const two = await service.organization({ overrides: { concurrency: 2 } });
  const ids: string[] = [];
  for (let n = 0; n < 2; n++)
    ids.push(String((await service.post(JOBS, two.key, { url: URL, timeout: 10_000 })).json.job_id));
  const jobs = () => Promise.all(ids.map(async (id) => (await service.ask(`${JOBS}/${id}`, two)).json));
  world.web[URL] = () => new Promise<never>(() => undefined);
  void service.work();
  await expect.poll(jobs).toMatchObject([{ status: 'running' }, { status: 'running' }]);
  world.web[URL] = page('at last');
  world.pass(30_000);
  expect(await service.work(ids)).toEqual({ postponed: {}, kept: [] });
  const done = { status: 'completed', attempts: 2, credits_used: 1 };
  expect(await jobs()).toMatchObject([done, done]);
});

test('a worker that dies on every attempt gets three attempts', async () => {
  const id = await submit({ timeout: 10_000 });
  world.web[URL] = () => new Promise<never>(() => undefined);
  for (const attempts of [1, 2, 3]) {
    void service.work([id]);
    await expect.poll(() => shown(id)).toMatchObject({ status: 'running', attempts });
    world.pass(30_000);
  }
  expect(await service.work([id])).toEqual({ postponed: {}, kept: [] });
  expect(await shown(id)).toMatchObject({
    status: 'failed',
    attempts: 3,
    error_code: 'attempts_exhausted',
  });
  expect(await remaining()).toBe(1_000);
});

test('a worker that runs out of time returns its job for another attempt', async () => {
  const id = await submit();
  world.web[URL] = (signal) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(new AppError('timeout'))));
  const worker = new AbortController();
  const working = service.work([id], worker);
  await expect.poll(() => shown(id)).toMatchObject({ status: 'running' });
  worker.abort();
  expect(await working).toEqual({ postponed: { [id]: 5 }, kept: [id] });
  world.web[URL] = page('at last');
  world.pass(5_000);
  await service.work([id]);
  expect(await shown(id)).toMatchObject({ status: 'completed', attempts: 2, credits_used: 1 });
});

test('the sweeper leaves a page that is stored at its deadline to its worker', async () => {
  const id = await submit({ complete_within: 60 });
  const { put } = world.results;
  world.results.put = async (...args) => {
    world.pass(MINUTE_MS);
    expect(await service.sweep()).toEqual(NOTHING);
    return put(...args);
  };
  await service.work();
  expect(await shown(id)).toMatchObject({ status: 'completed', credits_used: 1 });
});

test('the sweeper fails a job that is unfinished 15 minutes after its submit', async () => {
  const id = await submit();
  world.queue.take();
  world.pass(15 * MINUTE_MS);
  expect(await service.sweep()).toEqual({ ...NOTHING, failed: 1 });
  expect(await shown(id)).toMatchObject({ status: 'failed', error_code: 'deadline_exceeded' });
  expect(await service.sweep()).toEqual(NOTHING);
});

/** Jobs without a slot, whose messages are lost. */
async function waitForWorkers(number: number, orgId = 'org_busy') {
  const { request } = pendingJob();
  for (let n = 0; n < number; n++) {
    const wish = { id: world.newId(), orgId, keyId: 'key', requestId: 'request', request };
    await world.jobs.create(acceptJob(wish, world.now()));
  }
}

test('the sweeper works through a backlog although the index lags behind', async () => {
  await waitForWorkers(250);
  world.pass(2 * MINUTE_MS);
  const { jobs: stale } = await world.jobs.due(world.now(), 1_000);
  world.jobs.due = (_, limit) => Promise.resolve({ jobs: stale.slice(0, limit), unreadable: [] });
  expect(await service.sweep()).toMatchObject({ resent: 250 });
});

test('the sweeper processes at most a hundred jobs at once', async () => {
  await waitForWorkers(450);
  world.pass(2 * MINUTE_MS);
  const { send } = world.queue;
  let [now, most] = [0, 0];
  world.queue.send = async (job) => {
    most = Math.max(most, (now += 1));
    await send(job);
    now -= 1;
  };
  expect(await service.sweep()).toMatchObject({ resent: 450 });
  expect(most).toBe(100);
});

test('the sweeper requeues a job in a long queue less and less often, but at least every three minutes', async () => {
  await submit();
  world.queue.take();
  let sent = 0;
  for (let minute = 0; minute < 14; minute++) {
    world.pass(MINUTE_MS);
    await service.sweep();
    sent += world.queue.take().length;
  }
  expect(sent).toBe(6);
});

test('the sweeper processes the other jobs when some fail, and reports the failures at the end', async () => {
  const theirs = 'org_broken';
  await waitForWorkers(1_150, theirs);
  await waitForWorkers(1);
  world.pass(2 * MINUTE_MS);
  const [{ due }, { send }] = [world.jobs, world.queue];
  world.queue.send = (job) => (job.orgId === theirs ? Promise.reject(new Error('no')) : send(job));
  world.jobs.due = async (now, limit) => ({ ...(await due(now, limit)), unreadable: ['a job'] });
  await expect(service.sweep()).rejects.toThrow('1151 jobs could not be moved on');
  expect(world.queue.take()).toHaveLength(1);
});

test('the sweeper fails the job of a dead letter', async () => {
  const id = await submit();
  expect(await service.bury([id, 'nonsense'])).toBe(1);
  expect(await shown(id)).toMatchObject({ status: 'failed', error_code: 'attempts_exhausted' });
  expect(await service.bury([id])).toBe(0);
});

describe('an Idempotency-Key', () => {
  const headers = { 'Idempotency-Key': 'order-1' };

  test('returns the same job for the same body', async () => {
    const first = await service.post(JOBS, key, { url: URL }, headers);
    const again = await service.post(JOBS, key, { render_js: false, url: URL }, headers);
    expect(again.status).toBe(202);
    expect(again.json).toEqual(first.json);
    expect(again.headers['Idempotent-Replayed']).toBe('true');
    expect(world.jobs.all()).toHaveLength(1);
  });

  test('ignores the order of headers and cookies', async () => {
    const body = (order: <T>(entries: T[]) => T[]) => {
      const some = () => Object.fromEntries(order([['a', '1'], ['b', '2']])); // prettier-ignore
      return { url: URL, headers: some(), cookies: some() };
    };
    const submit = (request: object) => service.post(JOBS, key, request, headers);
    const first = await submit(body((entries) => entries));
    const again = await submit(body((entries) => entries.toReversed()));
    expect(again.json).toEqual(first.json);
    const other = await service.post(JOBS, key, { url: URL, headers: { a: '2', b: '1' } }, headers);
    expect(other.json.code).toBe('idempotency_key_reused');
  });

  test('counts towards the read limit when repeated', async () => {
    await service.post(JOBS, key, { url: URL }, headers);
    const before = (await service.ask(`${JOBS}/none`, { key })).headers['X-RateLimit-Remaining'];
    await service.post(JOBS, key, { url: URL }, headers);
    const after = (await service.ask(`${JOBS}/none`, { key })).headers['X-RateLimit-Remaining'];
    expect(Number(before) - Number(after)).toBe(1);
  });

  test('is refused with a different body', async () => {
    await submit({}, headers);
    const answer = await service.post(JOBS, key, { url: URL, render_js: true }, headers);
    expect(answer.status).toBe(422);
    expect(answer.json.code).toBe('idempotency_key_reused');
  });

  test('expires after a day, and is separate for each organization', async () => {
    const first = await submit({}, headers);
    const other = await service.organization();
    const theirs = await service.post(JOBS, other.key, { url: URL }, headers);
    expect(theirs.json.job_id).not.toBe(first);
    world.pass(DAY_MS);
    expect(await submit({}, headers)).not.toBe(first);
  });

  test('of a submit that died is in flight at first, then taken over', async () => {
    const create = world.jobs.create;
    world.jobs.create = () => Promise.reject(new Error('the process died'));
    expect((await service.post(JOBS, key, { url: URL }, headers)).status).toBe(500);
    world.jobs.create = create;

    const early = await service.post(JOBS, key, { url: URL }, headers);
    expect(early.status).toBe(409);
    expect(early.json.code).toBe('idempotency_in_flight');
    world.pass(Number(early.headers['Retry-After']) * 1_000);
    expect((await service.post(JOBS, key, { url: URL }, headers)).status).toBe(202);
    expect(world.jobs.all()).toHaveLength(1);
  });
});

test('a spent balance is 402 for sync calls and submits, and the error states it', async () => {
  const poor = await service.organization({ overrides: { credits: 4 } });
  for (const path of [JOBS, '/api/v1/scraper']) {
    const answer = await service.post(path, poor.key, { url: URL, render_js: true });
    expect(answer.status).toBe(402);
    expect(answer.json).toMatchObject({
      code: 'insufficient_credits',
      credits_required: 5,
      credits_remaining: 4,
    });
  }
});

test('too many requests get 429, and a caller that waits for Retry-After is admitted', async () => {
  const { key: slow } = await service.organization({ overrides: { rpm: 2 } });
  const ask = () => service.post('/api/v1/scraper', slow, { url: URL });
  expect([(await ask()).status, (await ask()).status]).toEqual([200, 200]);
  const refused = await ask();
  expect(refused.status).toBe(429);
  expect(refused.json).toMatchObject({
    error: 'Rate limit exceeded',
    code: 'rate_limited',
    retry_after: 30,
  });
  expect(refused.headers).toMatchObject({ 'Retry-After': '30', 'X-RateLimit-Remaining': '0' });
  world.pass(29_000);
  expect((await ask()).status).toBe(429);
  world.pass(1_000);
  expect((await ask()).status).toBe(200);
});

test('a new month grants new credits once', async () => {
  await service.post('/api/v1/scraper', key, { url: URL });
  expect(await remaining()).toBe(999);
  world.pass(10 * DAY_MS);
  await Promise.all([1, 2, 3].map(() => service.post('/api/v1/scraper', key, { url: URL })));
  expect(await remaining()).toBe(997);
});

test('a suspended organization gets 403, and its waiting jobs fail', async () => {
  const id = await submit();
  await setStatus(world, orgId, 'suspended');
  const answer = await service.post('/api/v1/scraper', key, { url: URL });
  expect(answer.status).toBe(403);
  expect(answer.json.code).toBe('organization_suspended');
  await service.work([id]);
  expect(world.jobs.all()[0]).toMatchObject({ status: 'failed', errorCode: 'organization_suspended' });
});
