import { expect, test } from 'vitest';
import { AppError } from '../../shared/errors.ts';
import { GATEWAY_REQUEST_ID } from '../support/world/api.ts';
import { key, newServiceEachTest, orgId, service, world } from '../support/world/each-test.ts';
import { page } from '../support/world/pages.ts';

const SCRAPE = '/api/v1/scraper';
const JOBS = '/api/v1/scraper/jobs';
const url = 'https://example.com/list';
const wanted = `${url}?token=query-secret`;
const secrets = {
  method: 'POST',
  headers: { authorization: 'header-secret' },
  cookies: { sid: 'cookie-secret' },
  body: 'body-secret',
};
const MINUTE_MS = 60_000;
const number = expect.any(Number) as number;

newServiceEachTest();

test('a scrape writes one log line with its key, target, cost and timings', async () => {
  world.web[wanted] = page('12345', { status: 404 });
  const { headers } = await service.post(SCRAPE, key, { url: wanted, ...secrets });
  expect(service.lines).toEqual([
    {
      level: 'info',
      message: 'request',
      request_id: headers['X-Request-Id'],
      gateway_request_id: GATEWAY_REQUEST_ID,
      operation: 'scrape',
      org_id: orgId,
      key_id: key.slice('sf_test_'.length, -'_'.length - 38),
      url,
      status: 200,
      target_status: 404,
      credits: 1,
      bytes: 5,
      ms: number,
      phases: { admission: number, fetch: number, send: number, settle: number },
    },
  ]);
});

test('every log line about a job has the id of its submit request', async () => {
  world.web[wanted] = new AppError('connect_failed');
  const { headers, json } = await service.post(JOBS, key, { url: wanted, ...secrets });
  await service.work();
  world.pass(MINUTE_MS);
  world.web[wanted] = page('ok');
  await service.work([String(json.job_id)]);
  const all = { request_id: headers['X-Request-Id'], org_id: orgId, job_id: json.job_id, url };
  expect(service.lines).toMatchObject([
    { ...all, message: 'request', operation: 'submitJob' },
    { ...all, message: 'job', attempt: 1, code: 'connect_failed', retry_after: 5 },
    { ...all, message: 'job', attempt: 2, status: 'completed', credits: 1, bytes: 2 },
  ]);
  expect(service.lines.at(-1)?.phases).toMatchObject({ queue: MINUTE_MS - 5_000, store: number });
});

test('a job that the sweeper ends is logged by the sweeper', async () => {
  await service.post(JOBS, key, { url: wanted });
  world.pass(15 * MINUTE_MS);
  await service.sweep();
  const line = { message: 'job', request_id: service.lines[0]?.request_id, code: 'deadline_exceeded' };
  expect(service.lines).toContainEqual(expect.objectContaining(line));
});

const fault = () => {
  const cause = new Error(`no route to https://user:password@proxy.test/x?key=1'b(2) for ${key}`);
  return Promise.reject(new TypeError('broken', { cause }));
};

test('an unexpected error is logged without URLs and keys', async () => {
  world.web[wanted] = fault;
  await service.post(SCRAPE, key, { url: wanted });
  const [line] = service.lines;
  expect(line).toMatchObject({ level: 'error', code: 'internal', status: 500 });
  expect(line?.fault).toContain('TypeError: broken');
  expect(line?.fault).toContain('no route to https://proxy.test/x for sf_test_');
  expect(line?.fault).not.toContain(key);
  expect(line?.fault).not.toContain(key.split('_').at(-1));
});

test('an unexpected error of a job is logged once', async () => {
  world.web[wanted] = fault;
  await service.post(JOBS, key, { url: wanted });
  await service.work();
  expect(service.lines.slice(1)).toMatchObject([{ level: 'error', message: 'job', retry_after: 5 }]);
});

test('metrics count pages and errors of sync calls and job attempts separately', async () => {
  world.web[url] = page('ok');
  await service.post(SCRAPE, key, { url });
  await service.post(JOBS, key, { url: 'https://nowhere.example/' });
  await service.work();
  expect(world.counted).toEqual([
    ['ScrapeSucceeded', 1],
    ['ScrapeSucceeded', 0],
    ['ScrapeFailed', 1, 'dns_failed'],
  ]);
});

test('metrics count a job that ended late', async () => {
  await service.post(JOBS, key, { url });
  world.pass(15 * MINUTE_MS);
  await service.sweep();
  expect(world.counted).toEqual([['JobsSettledLate', 1]]);
});

test('a finished job no longer stores headers, cookies and body', async () => {
  world.web[wanted] = page('ok');
  await service.post(JOBS, key, { url: wanted, ...secrets });
  for (const secret of ['header-secret', 'cookie-secret', 'body-secret'])
    expect(JSON.stringify(world.jobs.all())).toContain(secret);
  await service.work();
  expect(world.jobs.all()).toMatchObject([{ status: 'completed', request: { url: wanted } }]);
  expect(JSON.stringify(world.jobs.all())).not.toMatch(/header-secret|cookie-secret|body-secret/);
  expect(JSON.stringify(service.lines)).not.toContain('-secret');
});
