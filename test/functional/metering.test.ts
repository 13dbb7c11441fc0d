import { beforeEach, expect, test } from 'vitest';
import { AppError } from '../../shared/errors.ts';
import { setStatus } from '../../shared/use-cases/accounts/manage-organizations.ts';
import { key, newServiceEachTest, orgId, service, world } from '../support/world/each-test.ts';
import { page } from '../support/world/pages.ts';

const SCRAPE = '/api/v1/scraper';
const JOBS = `${SCRAPE}/jobs`;
const NOBODYS = `${JOBS}/019a0000-0000-7000-8000-000000000000`;
const url = 'https://example.com/';

newServiceEachTest({ overrides: { rpm: 10, readsPerMinute: 10, credits: 3 } });
beforeEach(() => {
  world.web[url] = page('<h1>Hello</h1>');
});

const job = async () => String((await service.post(JOBS, key, { url })).json.job_id);
const doneJob = async () => {
  const id = await job();
  await service.work();
  return `${JOBS}/${id}`;
};
const read = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  service.ask(path, { key, headers, method });

test.each([
  ['an unknown job', 404, () => read(NOBODYS)],
  ['the result of an unknown job', 404, () => read(`${NOBODYS}/result`)],
  ['a malformed id', 404, () => read(`${JOBS}/none`)],
  ['a result that is not ready', 409, async () => read(`${JOBS}/${await job()}/result`)],
  ['an outdated version', 412, async () => read(`${await doneJob()}/result`, { 'If-Match': '"other"' })],
  ['a range beyond the end', 416, async () => read(`${await doneJob()}/result`, { Range: 'bytes=999-' })],
  ['an unchanged result', 304, async () => read(`${await doneJob()}/result`, { 'If-None-Match': '*' })],
  ['the headers of a result', 200, async () => read(`${await doneJob()}/result`, {}, 'HEAD')],
  ['a result', 200, async () => read(`${await doneJob()}/result`)],
  ['a status', 200, async () => read(await doneJob())],
])('a read counts towards its rate limit with a request for %s (%i)', async (_, status, ask) => {
  const answer = await ask();
  expect(answer.status).toBe(status);
  expect(answer.headers).toMatchObject({ 'X-RateLimit-Limit': '10', 'X-RateLimit-Remaining': '9' });
  expect((await read(NOBODYS)).headers['X-RateLimit-Remaining']).toBe('8');
});

test('a read counts towards its rate limit with a request for the result of a failed job (422)', async () => {
  world.web[url] = page('', { status: 200 });
  Reflect.deleteProperty(world.web, url);
  const id = await job();
  for (let attempt = 0; attempt < 3; attempt++) {
    await service.work([id]);
    world.pass(60_000);
  }
  const answer = await read(`${JOBS}/${id}/result`);
  expect([answer.status, answer.headers['X-RateLimit-Remaining']]).toEqual([422, '9']);
});

test.each([
  ['a wrong field', 400, { url, rendr_js: true }],
  ['a private target', 400, { url: 'http://127.0.0.1/' }],
  ['too few credits', 402, { url, render_js: true }],
  ['no premium upstream', 503, { url, premium_proxy: true }],
  ['invalid JSON', 400, '{'],
])('a scrape or submit counts towards its rate limit with %s (%i)', async (_, status, body) => {
  for (const [nth, path] of [SCRAPE, JOBS].entries()) {
    const answer = await service.post(path, key, body);
    expect(answer.status).toBe(status);
    expect(answer.headers['X-RateLimit-Remaining']).toBe(String(9 - nth));
  }
});

test('a scrape or submit counts towards its rate limit with an unsupported media type (415)', async () => {
  const answer = await service.post(SCRAPE, key, '', { 'Content-Type': 'text/plain' });
  expect([answer.status, answer.headers['X-RateLimit-Remaining']]).toEqual([415, '9']);
});

test('a scrape or submit counts towards its rate limit from a suspended organization (403)', async () => {
  await setStatus(world, orgId, 'suspended');
  for (const [nth, path] of [SCRAPE, JOBS].entries()) {
    const answer = await service.post(path, key, { url });
    expect([answer.status, answer.headers['X-RateLimit-Remaining']]).toEqual([403, String(9 - nth)]);
  }
});

test('a scrape or submit counts towards its rate limit once, if the scrape fails (502)', async () => {
  Reflect.deleteProperty(world.web, url);
  const answer = await service.post(SCRAPE, key, { url });
  expect([answer.status, answer.headers['X-RateLimit-Remaining']]).toEqual([502, '9']);
});

test('a scrape or submit counts towards its rate limit when repeated with its idempotency key, without needing credits', async () => {
  const headers = { 'Idempotency-Key': 'order-1' };
  const submit = () => service.post(JOBS, key, { url }, headers);
  const first = await submit();
  for (let n = 0; n < 3; n++) await service.post(SCRAPE, key, { url });
  const again = await submit();
  expect([again.status, again.json]).toEqual([202, first.json]);
  expect(again.headers).toMatchObject({ 'X-Credits-Remaining': '0', 'X-RateLimit-Remaining': '5' });
  const other = await service.post(JOBS, key, { url }, { 'Idempotency-Key': 'order-2' });
  expect(other.status).toBe(402);
});

test.each([
  ['404', () => read(NOBODYS)],
  ['400', () => service.post(SCRAPE, key, {})],
  ['400 of a submit', () => service.post(JOBS, key, {})],
])('a flood of %s gets 429 once the limit is reached, and 429 does not count towards it', async (_, ask) => {
  const statuses = async (times: number) => {
    const seen: number[] = [];
    for (let n = 0; n < times; n++) seen.push((await ask()).status);
    return seen;
  };
  expect(new Set(await statuses(10)).has(429)).toBe(false);
  expect(await statuses(10)).toEqual(Array.from({ length: 10 }, () => 429));
  world.pass(6_000);
  expect((await statuses(2)).map((status) => status === 429)).toEqual([false, true]);
});

const spinning = 'https://spin.example/';

test('renders that take all slots of an organization leave the browsers to another organization, and are free places again once they end', async () => {
  const limits = { overrides: { concurrency: 3, rpm: 100, credits: 100 } };
  const [busy, calm] = [await service.organization(limits), await service.organization(limits)];
  const { promise: ended, reject: end } = Promise.withResolvers<never>();
  let rendering = 0;
  const { renderPage } = world;
  world.renderPage = (request, context) => {
    if (request.url !== spinning) return renderPage(request, context);
    rendering += 1;
    return ended;
  };
  const render = (by: string, target: string) => service.post(SCRAPE, by, { url: target, render_js: true });
  const taken = [1, 2, 3].map(() => render(busy.key, spinning));
  await expect.poll(() => rendering).toBe(3);
  expect((await render(busy.key, spinning)).json['code']).toBe('too_many_concurrent');
  expect((await render(calm.key, url)).status).toBe(200);
  expect(rendering).toBe(3);
  end(new AppError('timeout'));
  expect(
    (await Promise.all(taken)).map(({ status, headers }) => [status, headers['X-Credits-Used']]),
  ).toEqual([1, 2, 3].map(() => [504, '0']));
  expect((await render(busy.key, url)).status).toBe(200);
});
