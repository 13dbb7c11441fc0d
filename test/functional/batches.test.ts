import { describe, expect, test } from 'vitest';
import { API_URL } from '../support/world/in-memory-world.ts';
import { AppError } from '../../shared/errors.ts';
import type { Answer } from '../support/world/api.ts';
import {
  asNewOrganization,
  key,
  newServiceEachTest,
  orgId,
  service,
  world,
} from '../support/world/each-test.ts';
import { updateOrganization } from '../../shared/use-cases/accounts/manage-organizations.ts';
import type { Chunk } from '../../shared/contract/batches/chunk.ts';
import { page } from '../support/world/pages.ts';

const BATCHES = '/api/v1/scraper/batches';
const JOBS = '/api/v1/scraper/jobs';
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

newServiceEachTest({ overrides: { concurrency: 2, rpm: 1_000, credits: 5_000 } });

const urlOf = (name: string | number) => `https://example.com/${name}`;

/** Requests for pages of the web, by their names. */
function requestsFor(names: (string | number)[], fields = {}) {
  for (const name of names) world.web[urlOf(name)] ??= page(`page ${name}`);
  return names.map((name) => ({ url: urlOf(name), custom_id: String(name), ...fields }));
}
const numbered = (count: number) => Array.from({ length: count }, (_, n) => n);

async function submit(body: object, headers = {}): Promise<Answer> {
  world.pass(1_000);
  return service.post(BATCHES, key, body, headers);
}
const submitted = async (body: object) => String((await submit(body)).json['batch_id']);
const shown = async (id: string, by = key) => service.ask(`${BATCHES}/${id}`, { key: by });
const counts = async (id: string) => (await shown(id)).json['counts'];
const act = (id: string, action: string, headers = {}) =>
  service.ask(`${BATCHES}/${id}/${action}`, { method: 'POST', key, headers });

type Line = Record<string, unknown> & { line: number; custom_id: string; cursor: string };
const linesIn = ({ text }: Answer) =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);
const results = (id: string, query = '') => service.ask(`${BATCHES}/${id}/results${query}`, { key });
/** All results so far, by the order of the requests. */
async function allLines(id: string, query = '') {
  const all: Line[] = [];
  for (let next = query; all.length < 10_000;) {
    const answer = await results(id, next);
    const lines = linesIn(answer);
    all.push(...lines);
    const [, link] = /<[^?]*(\?[^>]+)>; rel="next"$/.exec(answer.headers['Link'] ?? '') ?? [];
    if (link === undefined || lines.length === 0) break;
    next = link;
  }
  return all.sort((a, b) => a.line - b.line);
}

test('a submitted batch answers with its counts, runs each request, and charges what they cost', async () => {
  world.web[urlOf('gone')] = new AppError('tls_failed');
  const requests = [...requestsFor([1, 2]), { url: urlOf('gone') }];
  const answer = await submit({ requests, tags: ['nightly'] });
  const id = String(answer.json['batch_id']);
  expect([answer.status, answer.headers['Location']]).toEqual([202, `${BATCHES}/${id}`]);
  expect(answer.json).toMatchObject({
    status: 'running',
    counts: { total: 3, invalid: 0, pending: 3, running: 0, completed: 0, failed: 0 },
    credits_used: 0,
    tags: ['nightly'],
    created_at: '2026-11-21T12:00:01.000Z',
    started_at: '2026-11-21T12:00:01.000Z',
    deadline_at: '2026-11-22T12:00:01.000Z',
    results_url: `${API_URL}${BATCHES}/${id}/results`,
  });
  await service.work();
  const done = await shown(id);
  expect(done.json).toMatchObject({
    status: 'completed',
    counts: { total: 3, pending: 0, running: 0, completed: 2, failed: 1, charged: 2, uncharged: 1 },
    credits_used: 2,
    completed_at: expect.stringMatching(/^2026-11-21T12:00/) as string,
  });
  expect((done.json['counts'] as Line)['by_verdict']).toEqual({ page: 2 });
  expect(done.headers).not.toHaveProperty('Retry-After');
  const lines = await allLines(id, '?include=body');
  expect(lines).toMatchObject([
    { line: 1, status: 'completed', custom_id: '1', batch_id: id, tags: ['nightly'], body: 'page 1' },
    { line: 2, status: 'completed', custom_id: '2', body: 'page 2', credits_used: 1 },
    { line: 3, status: 'failed', url: urlOf('gone'), error_code: 'tls_failed', credits_used: 0 },
  ]);
  for (const name of ['job_id', 'result_url']) expect(lines[0]).not.toHaveProperty(name);
  expect(await world.usage.read(await organization(), world.now())).toMatchObject({
    credits: { available: 4_998 },
  });
});

const organization = async () => {
  const found = await world.organizations.find(orgId);
  if (!found) throw new Error('no organization');
  return found;
};

test('a submitted batch has no jobs, no events of jobs and no activity, but is counted in the usage', async () => {
  await service.post('/api/v1/webhooks', key, {
    url: 'https://hooks.example/in',
    events: ['job.completed'],
  });
  await submitted({ requests: requestsFor([1, 2]) });
  await service.work();
  expect((await service.ask(JOBS, { key })).json).toEqual({ data: [] });
  expect((await service.ask('/api/v1/account/activity', { key })).json['data']).toEqual([]);
  expect(await world.deliveries.due(new Date(world.now().getTime() + DAY_MS), 10)).toEqual([]);
  const { json } = await service.ask('/api/v1/account/usage', { key });
  expect(JSON.stringify(json)).toContain('"credits":2');
});

test('a submitted batch gives each request the defaults that it does not set, and both tags', async () => {
  const requests = [
    { url: urlOf(1), tags: ['own', 'all'] },
    { url: urlOf(2), render_js: false },
  ];
  requestsFor([1, 2]);
  const id = await submitted({ defaults: { render_js: true }, requests, tags: ['all'] });
  await service.work();
  const [rendered, plain] = await allLines(id);
  expect([plain?.['credits_used'], rendered?.['credits_used']]).toEqual([1, 5]);
  expect(rendered?.['tags']).toEqual(['all', 'own']);
  expect((await shown(id)).json['credits_used']).toBe(6);
});

test('a submitted batch sends each request as its caller wrote it', async () => {
  const seen: unknown[] = [];
  world.fetchPage = (request) => {
    seen.push(request);
    return Promise.resolve(page('page'));
  };
  const name = '\ud83d\ude00 \ufffd\n\u2028"';
  const requests = [{ url: 'https://example.com/ä?q=\ufffd', custom_id: name, cookies: 'a=b' }];
  const body = JSON.stringify({ requests, defaults: { timeout: 7_000 } }).replaceAll('\ufffd', '\\ufffd');
  const id = String((await service.post(BATCHES, key, body)).json['batch_id']);
  await service.work();
  const cookies = { a: 'b' };
  expect(seen).toMatchObject([{ url: 'https://example.com/%C3%A4?q=%EF%BF%BD', timeout: 7_000, cookies }]);
  expect(await allLines(id)).toMatchObject([{ status: 'completed', custom_id: name }]);
});

test('a submitted batch with an Idempotency-Key is one batch, however often it is sent', async () => {
  const body = { requests: requestsFor([1, 2]) };
  const first = await submit(body, { 'Idempotency-Key': 'a' });
  const again = await submit(body, { 'Idempotency-Key': 'a' });
  expect([again.status, again.json['batch_id']]).toEqual([202, first.json['batch_id']]);
  expect([first, again].map(({ headers }) => headers['Idempotent-Replayed'])).toEqual([undefined, 'true']);
  expect(((await service.ask(BATCHES, { key })).json['data'] as Line[]).length).toBe(1);
  const other = await submit({ requests: requestsFor([1]) }, { 'Idempotency-Key': 'a' });
  expect([other.status, other.json['code']]).toEqual([422, 'idempotency_key_reused']);
});

test('a submitted batch runs after single jobs, in turn with other batches', async () => {
  // Of one request each, which then run in two slots.
  await asNewOrganization({ overrides: { concurrency: 60, rpm: 1_000 } });
  const order: string[] = [];
  const noted = (name: string) => {
    world.web[urlOf(name)] = async () => {
      await Promise.resolve();
      order.push(name);
      return page(name);
    };
    return { url: urlOf(name) };
  };
  await submit({ requests: numbered(60).map((n) => noted(`a${n}`)) });
  await submit({ requests: numbered(60).map((n) => noted(`b${n}`)) });
  await updateOrganization(world, orgId, { overrides: { concurrency: 2, rpm: 1_000 } });
  for (const name of ['single-1', 'single-2']) await service.post(JOBS, key, noted(name));
  await service.work();
  expect(order).toHaveLength(122);
  expect(order.slice(0, 6).filter((name) => name.startsWith('single'))).toHaveLength(2);
  const ofFirst = order.slice(0, 62).filter((name) => name.startsWith('a')).length;
  // By chance alone fewer than one in a billion runs are outside.
  expect(ofFirst).toBeGreaterThan(8);
  expect(ofFirst).toBeLessThan(52);
});

test('a submitted batch is worked on although every message to the workers is lost', async () => {
  const id = await submitted({ requests: requestsFor([1, 2, 3]) });
  expect(world.queue.take()).toHaveLength(2);
  await service.sweepBacklogs();
  await service.work();
  expect((await shown(id)).json['status']).toBe('completed');
});

test('a submitted batch is forgotten after 30 days', async () => {
  const id = await submitted({ requests: requestsFor([1]) });
  await service.work();
  world.pass(30 * DAY_MS - 5_000);
  expect((await shown(id)).status).toBe(200);
  world.pass(5_000);
  expect((await shown(id)).status).toBe(404);
  expect((await service.ask(BATCHES, { key })).json).toEqual({ data: [] });
});

const refused = async (body: unknown) => {
  const { status, json } = await submit(body as object);
  return { ...json, status } as Record<string, unknown>;
};

test('a batch is refused with the faults of every request, by their paths', async () => {
  const answer = await refused({
    defaults: { render_js: true, timeout: 5, url: urlOf(0) },
    requests: [
      { url: urlOf(1), wait_fro: '#a' },
      { url: urlOf(2) },
      { custom_id: 'x' },
      { url: 'http://127.0.0.1/' },
      { url: urlOf(3), render_js: false, wait_for: '#b' },
      { url: urlOf(4), headers: { Host: 'a' } },
    ],
  });
  expect(answer).toMatchObject({ status: 400, code: 'invalid_request' });
  const faults = (answer['errors'] as { param: string; message: string }[]).map(
    ({ param, message }) => `${param}: ${message}`,
  );
  expect(faults.sort()).toEqual([
    "defaults.timeout: Invalid value for 'defaults.timeout': expected a whole number from 1000 to 120000.",
    "defaults.url: Unknown field 'defaults.url'.",
    "requests[0].wait_fro: Unknown field 'requests[0].wait_fro'. Did you mean 'wait_for'?",
    "requests[2].url: Field 'requests[2].url' is required.",
    expect.stringMatching(/^requests\[3\]\.url: "http:\/\/127.0.0.1\/" may not be scraped/),
    "requests[4].wait_for: Invalid value for 'requests[4].wait_for': only allowed with render_js.",
    expect.stringMatching(/^requests\[5\]\.headers: .*this header cannot be set/),
  ]);
  expect((await service.ask(BATCHES, { key })).json).toEqual({ data: [] });
});

test('a batch is refused with every bad request, also beside a request that is no object and a wrong tag', async () => {
  const answer = await refused({
    requests: [{ url: urlOf(1) }, 5, { url: 'nowhere' }, null, { url: urlOf(2), waiit: 1 }],
    tags: ['a b'],
  });
  const params = (answer['errors'] as { param: string }[]).map(({ param }) => param);
  expect(params.sort()).toEqual([
    'requests[1]',
    'requests[2].url',
    'requests[3]',
    'requests[4].waiit',
    'tags[0]',
  ]);
  expect(answer['errors']).toContainEqual({
    param: 'requests[2].url',
    message: expect.stringContaining("'requests[2].url': expected an absolute URL") as string,
  });
  expect((await service.ask(BATCHES, { key })).json).toEqual({ data: [] });
});

test('a batch is refused with a fault of each request before the second of any, so that a long list names all of them', async () => {
  const [a, b, c] = [1, 1, 1];
  const requests = numbered(450).map((n) =>
    n < 350 ? { url: urlOf(n), a, b, c } : { url: 'http://10.0.0.1/' },
  );
  const errors = (await refused({ requests }))['errors'] as { param: string }[];
  const named = new Set(errors.map(({ param }) => Number(/\d+/.exec(param)?.[0])));
  expect([...named].sort((one, other) => one - other)).toEqual(numbered(450));
});

test('a batch is refused with too many values in a request, or in its frame', async () => {
  const tags = Array<number>(10_001).fill(1);
  const code = 'invalid_request';
  expect(await refused({ requests: [{ url: urlOf(1) }, { url: urlOf(2), tags }] })).toMatchObject({
    code,
    param: 'requests[1].tags',
    message: "The request has more than 10,000 values, most of them in 'requests[1].tags'.",
  });
  expect(await refused({ requests: [{ url: urlOf(1) }], tags })).toMatchObject({
    code,
    param: 'tags',
    message: "The batch without its requests has more than 10,000 values, most of them in 'tags'.",
  });
});

test('a batch is refused with many bad defaults, which are not explained for each request', async () => {
  const requests = numbered(200).map((n) => ({ url: urlOf(n) }));
  const bad = { if: { selector: 'a', then: Array<number>(450).fill(1) } };
  const defaults = { js_scenario: { instructions: Array<object>(20).fill(bad) } };
  const { status, errors } = await refused({ requests, defaults });
  expect([status, (errors as unknown[]).length]).toEqual([400, 1_020]);
});

test('a batch is refused with defaults that would be kept too often', async () => {
  const requests = numbered(300).map((n) => ({ url: urlOf(n) }));
  const instructions = [{ evaluate: 'x'.repeat(99_000) }, { evaluate: 'x'.repeat(99_000) }];
  const defaults = { js_scenario: { instructions } };
  expect(await refused({ requests, defaults })).toMatchObject({
    code: 'request_too_large',
    param: 'defaults',
  });
  expect((await service.ask(BATCHES, { key })).json).toEqual({ data: [] });
});

test('a batch is refused with a request that must not be repeated, by the path of its method', async () => {
  const post = { url: urlOf(2), method: 'POST', body: 'a=1' };
  const body = { requests: [{ url: urlOf(1), method: 'GET' }, post] };
  expect(await refused(body)).toMatchObject({
    status: 400,
    code: 'invalid_request',
    param: 'requests[1].method',
    message:
      "Invalid value for 'requests[1].method': only GET is allowed in a batch, because its requests may run twice.",
  });
  const defaults = { method: 'PUT' };
  expect(await refused({ defaults, requests: [{ url: urlOf(1) }] })).toMatchObject({
    param: 'defaults.method',
  });
});

test('a batch is refused with one fault under its own code', async () => {
  const requests = [{ url: urlOf(1) }, { url: 'ftp://example.com/' }];
  expect(await refused({ requests })).toMatchObject({
    status: 400,
    code: 'url_not_allowed',
    param: 'requests[1].url',
    reason: 'scheme',
  });
});

test.each([
  ['an empty list', { requests: [] }, 'requests'],
  ['1,001 requests', { requests: numbered(1_001).map((n) => ({ url: urlOf(n) })) }, 'requests'],
  ['a list of texts', { requests: ['https://example.com/'] }, 'requests[0]'],
  ['no requests', { tags: ['a'] }, 'requests'],
  ['defaults that are a list', { defaults: [], requests: [{ url: urlOf(1) }] }, 'defaults'],
  [
    'a deadline of its own for one request',
    { requests: [{ url: urlOf(1), complete_within: 60 }] },
    'requests[0].complete_within',
  ],
])('a batch is refused with %s', async (_, body, param) => {
  expect(await refused(body)).toMatchObject({ status: 400, code: 'invalid_request', param });
});

test('a batch of 1,001 requests is led to the upload', async () => {
  const { message } = await refused({ requests: numbered(1_001).map((n) => ({ url: urlOf(n) })) });
  expect(message).toBe(
    `Invalid value for 'requests': must not be longer than 1000 entries; upload more, up to 1,000,000, with "input": "upload".`,
  );
});

test('a batch is refused with more than 2 MB, but not with 1,000 requests of 1 KB each', async () => {
  const requests = numbered(1_000).map((n) => ({ url: urlOf(`${n}-${'x'.repeat(1_100)}`) }));
  expect(await refused({ requests: [...requests, ...requests] })).toMatchObject({ status: 413 });
  expect(await refused({ requests })).toMatchObject({ status: 202 });
});

test('a batch is refused with a request whose defaults make it larger or longer than a line may be', async () => {
  const [part, value] = ['x'.repeat(70_000), Array<string>(5_001).fill('a')];
  const step = { evaluate: part };
  const scenario = (steps: number) => ({ js_scenario: { instructions: Array(steps).fill(step) } });
  const large = { defaults: { render_js: true, ...scenario(3) }, requests: [{ url: urlOf(1) }] };
  expect((await refused(large))['status']).toBe(202);
  const larger = {
    ...large,
    requests: [{ url: urlOf(1) }, { url: urlOf(2), custom_id: 'é'.repeat(30_000) }],
  };
  expect(await refused(larger)).toMatchObject({ param: 'requests[1].custom_id' });
  const largest = { ...large, requests: [{ url: urlOf(1) }, { url: urlOf(2), ...scenario(4) }] };
  expect(await refused(largest)).toMatchObject({ status: 413, param: 'requests[1]' });
  const longer = { defaults: { tags: value }, requests: [{ url: urlOf(1), headers: value }] };
  expect(await refused(longer)).toMatchObject({
    status: 400,
    message: expect.stringContaining('The request has more than 10,000 values') as string,
  });
});

test('a batch is refused with a request that is larger than one of a job', async () => {
  const instructions = Array.from({ length: 4 }, () => ({ evaluate: 'x'.repeat(120_000) }));
  const large = { url: urlOf(2), render_js: true, js_scenario: { instructions } };
  expect(await refused({ requests: [{ url: urlOf(1) }, large] })).toMatchObject({
    status: 413,
    code: 'request_too_large',
    param: 'requests[1]',
  });
});

test('a batch is refused if all of it could cost more than its max_credits, or than is left', async () => {
  await asNewOrganization({ overrides: { concurrency: 2, rpm: 1_000, credits: 145 } });
  const requests = requestsFor(numbered(10), { render_js: true });
  expect(await refused({ requests, max_credits: 49 })).toMatchObject({
    status: 402,
    code: 'cost_cap_exceeded',
    credits_required: 50,
    max_credits: 49,
  });
  expect((await refused({ requests, max_credits: 50 }))['status']).toBe(202);
  const many = requestsFor(numbered(20), { render_js: true });
  expect((await refused({ requests: many }))['status']).toBe(202);
  const premium = requests.map((each) => ({ ...each, max_credits: 4 }));
  expect(await refused({ requests: premium })).toMatchObject({
    status: 402,
    param: 'requests[0].max_credits',
  });
  await service.work();
  expect(await refused({ requests: many })).toMatchObject({ status: 402, code: 'insufficient_credits' });
});

test('a batch is refused without a premium proxy, if one request needs it', async () => {
  const requests = [{ url: urlOf(1) }, { url: urlOf(2), premium_proxy: true }];
  expect(await refused({ requests })).toMatchObject({ status: 503, code: 'premium_proxy_unavailable' });
});

test('the results of a batch can be read while it runs, each exactly once', async () => {
  const id = await submitted({ requests: requestsFor(numbered(60)) });
  const seen: Line[] = [];
  let query = '';
  for (let round = 0; query !== 'done'; round++) {
    expect(round).toBeLessThan(20);
    const [message] = world.queue.take();
    if (message) await service.work([message]);
    await service.sweepBacklogs();
    const answer = await results(id, query);
    const lines = linesIn(answer);
    seen.push(...lines);
    expect(await counts(id)).toMatchObject({ completed: seen.length, pending: 60 - seen.length });
    const [, next] = /^<[^?]*(\?cursor=[\w.-]+)>; rel="next"$/.exec(answer.headers['Link'] ?? '') ?? [];
    query = next ?? 'done';
  }
  expect(seen.map(({ line }) => line).sort((a, b) => a - b)).toEqual(numbered(60).map((n) => n + 1));
  expect(new Set(seen.map((line) => line.custom_id)).size).toBe(60);
  expect(seen[0]).not.toHaveProperty('body');
});

test('the results of a batch end a response after 16 MB of pages, and continue in the next', async () => {
  await asNewOrganization({ overrides: { concurrency: 3 } });
  for (const name of ['a', 'b', 'c']) world.web[urlOf(name)] = page(name.repeat(9_000_000));
  const id = await submitted({ requests: requestsFor(['a', 'b', 'c']) });
  await service.work();
  const first = await results(id, '?include=body');
  expect(linesIn(first)).toHaveLength(2);
  const [, next = ''] = /(\?[^>]+)>/.exec(first.headers['Link'] ?? '') ?? [];
  const second = await results(id, next);
  expect(linesIn(second)).toHaveLength(1);
  expect(linesIn(second)[0]?.['body']).toHaveLength(9_000_000);
});

test.each([1, 30])(
  'the results of a batch end a response at 256 KB of lines, and continue in the next, in %s slots',
  async (slots) => {
    await asNewOrganization({ overrides: { concurrency: slots } });
    const names = numbered(80).map((n) => `${n}-${'q'.repeat(7_000)}`);
    for (const name of names) world.web[urlOf(name)] = page('short');
    const requests = names.map((name, n) => ({ url: urlOf(name), custom_id: String(n) }));
    const id = await submitted({ requests });
    await service.work();
    const read: number[] = [];
    let next: string | undefined = '';
    for (let pages = 0; next !== undefined && pages < 9; pages++) {
      const response = await results(id, next);
      expect(Buffer.byteLength(response.text)).toBeLessThanOrEqual(256 * 1_024);
      read.push(...linesIn(response).map((line) => Number(line['custom_id'])));
      next = /(\?[^>]+)>/.exec(response.headers['Link'] ?? '')?.[1];
    }
    expect(read.sort((a, b) => a - b)).toEqual(names.map((_, n) => n));
  },
);

test.each(['x', 'AAAAAAAAAAA', '__8', '?', ''])(
  'the results of a batch refuse the cursor %j',
  async (cursor) => {
    const id = await submitted({ requests: requestsFor([1]) });
    const { status, json } = await results(id, `?cursor=${encodeURIComponent(cursor)}`);
    expect([status, json['param']]).toEqual([400, 'cursor']);
  },
);

test('a cancelled batch does not try a request again that fails afterwards', async () => {
  const gate = Promise.withResolvers<undefined>();
  let tries = 0;
  world.web[urlOf('flaky')] = async () => {
    tries += 1;
    await gate.promise;
    throw new AppError('connect_failed');
  };
  const id = await submitted({ requests: requestsFor(['flaky']) });
  const working = service.work();
  await expect.poll(() => tries).toBe(1);
  await act(id, 'cancel');
  gate.resolve(undefined);
  await working;
  world.pass(MINUTE_MS);
  await service.sweepBatches();
  await service.work();
  expect(tries).toBe(1);
  expect((await shown(id)).json).toMatchObject({ status: 'cancelled', counts: { failed: 1 } });
});

test('a cancelled batch cannot be cancelled once every request has ended', async () => {
  const id = await submitted({ requests: requestsFor([1]) });
  await service.work();
  const { status, json } = await act(id, 'cancel');
  expect([status, json['code']]).toEqual([409, 'batch_finished']);
});

test('a retry of what failed is a new batch of the same failed requests, with what they sent', async () => {
  world.web[urlOf('down')] = new AppError('tls_failed');
  const down = { url: urlOf('down'), custom_id: 'd', tags: ['t'], cookies: 'session=secret' };
  const id = await submitted({ requests: [...requestsFor(['up']), down], defaults: { timeout: 9_000 } });
  await service.work();
  const sent: unknown[] = [];
  const { fetchPage } = world;
  world.web[urlOf('down')] = page('up again');
  world.fetchPage = (request, context) => {
    sent.push(request);
    return fetchPage(request, context);
  };
  const answer = await act(id, 'retry_failed', { 'Idempotency-Key': 'r' });
  const retried = String(answer.json['batch_id']);
  expect([answer.status, answer.json['counts']]).toMatchObject([202, { total: 1, pending: 1 }]);
  const again = await act(id, 'retry_failed', { 'Idempotency-Key': 'r' });
  expect([again.json, again.headers['Idempotent-Replayed']]).toEqual([answer.json, 'true']);
  await service.work();
  await service.work();
  expect(await allLines(retried, '?include=body')).toMatchObject([
    { line: 1, custom_id: 'd', tags: ['t'], status: 'completed', body: 'up again' },
  ]);
  expect(sent).toMatchObject([{ timeout: 9_000, cookies: { session: 'secret' } }]);
  const nothing = await act(retried, 'retry_failed');
  expect([nothing.status, nothing.json['code']]).toEqual([409, 'nothing_to_retry']);
  await submit({ requests: [{ url: urlOf('down') }] }, { 'Idempotency-Key': 'taken' });
  const reused = await act(id, 'retry_failed', { 'Idempotency-Key': 'taken' });
  expect(reused.json['code']).toBe('idempotency_key_reused');
});

test('a retry of what failed that is cancelled before its requests are copied has none', async () => {
  world.web[urlOf('down')] = new AppError('tls_failed');
  const id = await submitted({ requests: requestsFor(['down']) });
  await service.work();
  const retried = String((await act(id, 'retry_failed')).json['batch_id']);
  const { json } = await act(retried, 'cancel');
  expect(json).toMatchObject({ status: 'cancelled', counts: { total: 0, failed: 0, pending: 0 } });
  expect(await allLines(retried)).toEqual([]);
});

test.each(['', 'x', 'AA'])('batches are not listed from the cursor %j', async (cursor) => {
  const { status, json } = await service.ask(`${BATCHES}?cursor=${cursor}`, { key });
  expect([status, json['param']]).toEqual([400, 'cursor']);
});

test('batches are listed newest first, each on one page, and seen by their organization alone', async () => {
  const ids: string[] = [];
  for (let n = 0; n < 5; n++) ids.unshift(await submitted({ requests: requestsFor([n]) }));
  const seen: unknown[] = [];
  for (let query = '?limit=2'; query !== '';) {
    const { json } = await service.ask(`${BATCHES}${query}`, { key });
    seen.push(...(json['data'] as Line[]).map((batch) => batch['batch_id']));
    query = typeof json['next_cursor'] === 'string' ? `?limit=2&cursor=${json['next_cursor']}` : '';
    if (query) await submitted({ requests: requestsFor(['more']) });
  }
  expect(seen).toEqual(ids);
  const other = await service.organization();
  expect((await service.ask(BATCHES, { key: other.key })).json).toEqual({ data: [] });
  const [id = ''] = ids;
  for (const path of ['', '/results'])
    expect((await service.ask(`${BATCHES}/${id}${path}`, { key: other.key })).status).toBe(404);
  const post = { method: 'POST', key: other.key };
  for (const action of ['start', 'cancel'])
    expect((await service.ask(`${BATCHES}/${id}/${action}`, post)).status).toBe(404);
  expect((await shown('nonsense')).status).toBe(404);
});

describe('a submit that dies', () => {
  const headers = { 'Idempotency-Key': 'a' };
  const body = () => ({ requests: requestsFor(numbered(5)) });
  /** Time for the sweeper to see that nobody reads the batch, and to have it read and run. */
  async function recover() {
    world.pass(2 * MINUTE_MS);
    await service.sweepBatches();
    await service.work();
    await service.work();
  }

  test('before its batch is stored leaves nothing, until it is repeated with its key', async () => {
    const { create } = world.batches;
    world.batches.create = () => Promise.reject(new Error('died'));
    expect((await submit(body(), headers)).status).toBe(500);
    world.batches.create = create;
    await recover();
    expect((await service.ask(BATCHES, { key })).json).toEqual({ data: [] });
    const id = String((await submit(body(), headers)).json['batch_id']);
    await service.work();
    expect((await shown(id)).json).toMatchObject({ status: 'completed', counts: { completed: 5 } });
  });

  test('has submitted a batch that was stored although the response said otherwise', async () => {
    const { create } = world.batches;
    world.batches.create = async (batch) => (await create(batch)) && false;
    const { status, json } = await submit(body(), headers);
    await service.work();
    expect([status, await counts(String(json['batch_id']))]).toMatchObject([202, { completed: 5 }]);
  });

  test('afterwards has submitted it, and the requests are read again into the same chunks', async () => {
    await asNewOrganization({ overrides: { concurrency: 3 } });
    const { create } = world.chunks;
    world.chunks.create = (chunk) => (chunk.index === 1 ? Promise.reject(new Error('died')) : create(chunk));
    const first = await submit(body(), headers);
    expect([first.status, first.json['counts']]).toMatchObject([202, { total: 5, pending: 5 }]);
    world.chunks.create = create;
    const again = await submit(body(), headers);
    expect([again.json['batch_id'], again.headers['Idempotent-Replayed']]).toEqual([
      first.json['batch_id'],
      'true',
    ]);
    const kept = world.chunks.all();
    await updateOrganization(world, orgId, { overrides: { concurrency: 2 } });
    const id = String(first.json['batch_id']);
    await recover();
    expect((await shown(id)).json).toMatchObject({ status: 'completed', counts: { total: 5, completed: 5 } });
    const pick = ({ id: chunkId, lines, at, bytes }: Chunk) => ({ chunkId, lines, at, bytes });
    expect(world.chunks.all().map(pick)).toEqual(expect.arrayContaining(kept.map(pick)));
    expect((await allLines(id)).map(({ line }) => line)).toEqual([1, 2, 3, 4, 5]);
  });

  test('is not cancelled if its requests have run meanwhile', async () => {
    const { create } = world.chunks;
    world.chunks.create = () => Promise.reject(new Error('died'));
    const id = await submitted(body());
    world.chunks.create = create;
    const { advance } = world.batches;
    world.batches.advance = async (after, from) => {
      world.batches.advance = advance;
      await recover();
      return advance(after, from);
    };
    const { status, json } = await act(id, 'cancel');
    expect([status, json['code']]).toEqual([409, 'batch_finished']);
    expect((await shown(id)).json).toMatchObject({ status: 'completed', counts: { completed: 5 } });
  });

  test.each([
    ['is cancelled before that', {}, 'cancelled'],
    ['is too late by then', { complete_within: 60 }, 'deadline_exceeded'],
  ])('and %s fails every request, which can be retried', async (_, fields, code) => {
    const { create } = world.chunks;
    world.chunks.create = () => Promise.reject(new Error('died'));
    const id = String((await submit({ ...body(), ...fields })).json['batch_id']);
    world.chunks.create = create;
    if (code === 'cancelled') await act(id, 'cancel');
    await recover();
    expect((await shown(id)).json).toMatchObject({
      status: 'cancelled',
      counts: { total: 5, failed: 5, pending: 0, uncharged: 5 },
      completed_at: expect.any(String) as string,
    });
    const lines = await allLines(id);
    expect(lines.map((line) => [line.line, line.custom_id, line['error_code']])).toEqual(
      numbered(5).map((n) => [n + 1, String(n), code]),
    );
    expect(await allLines(id, `?cursor=${lines[2]?.cursor}`)).toEqual(lines.slice(3));
    const { json } = await service.ask(`${BATCHES}/${id}/results`, {
      key,
      headers: { Accept: 'application/json' },
    });
    expect(json).toEqual({ data: [{ lines: 5, first_line: 1, error_code: code }] });
    const retried = String((await act(id, 'retry_failed')).json['batch_id']);
    await service.work();
    await service.work();
    expect(await counts(retried)).toMatchObject({ total: 5, completed: 5 });
  });
});
