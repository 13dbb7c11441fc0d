import { describe, expect, test } from 'vitest';
import { API_URL } from '../support/in-memory-world.ts';
import { AppError } from '../../shared/errors.ts';
import type { Answer } from '../support/api.ts';
import { key, newServiceEachTest, orgId, service, world } from '../support/each-test.ts';
import { page } from '../support/pages.ts';

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

type Line = Record<string, unknown> & { custom_id: string; cursor: string };
const linesIn = ({ text }: Answer) =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);
const results = (id: string, query = '') => service.ask(`${BATCHES}/${id}/results${query}`, { key });
const jobsOf = async (id: string, query = '') =>
  (await service.ask(`${JOBS}?batch_id=${id}&limit=100${query}`, { key })).json['data'] as Line[];

/** Pages that arrive when `finish` is called. */
function slowPage(name: string) {
  const gate = Promise.withResolvers<undefined>();
  let fetched = 0;
  world.web[urlOf(name)] = async () => {
    fetched += 1;
    await gate.promise;
    return page('slow');
  };
  return { finish: () => gate.resolve(undefined), fetched: () => fetched };
}

describe('a submitted batch', () => {
  test('answers with its counts, runs each request as a job, and charges what they cost', async () => {
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
      deadline_at: '2026-11-22T12:00:01.000Z',
      results_url: `${API_URL}${BATCHES}/${id}/results`,
    });
    await service.work();
    const done = await shown(id);
    expect(done.json).toMatchObject({
      status: 'completed',
      counts: { total: 3, invalid: 0, pending: 0, running: 0, completed: 2, failed: 1 },
      credits_used: 2,
      completed_at: expect.stringMatching(/^2026-11-21T12:00/) as string,
    });
    expect(done.headers).not.toHaveProperty('Retry-After');
    const jobs = await jobsOf(id);
    expect(jobs.map((job) => [job['status'], job['custom_id'], job['batch_id'], job['tags']])).toEqual([
      ['failed', undefined, id, ['nightly']],
      ['completed', '2', id, ['nightly']],
      ['completed', '1', id, ['nightly']],
    ]);
    const [, second] = jobs;
    const { text } = await service.ask(`${JOBS}/${String(second?.['job_id'])}/result`, { key });
    expect(text).toBe('page 2');
    expect(await world.accounts.usage(await organization(), world.now())).toMatchObject({ available: 4_998 });
  });

  const organization = async () => {
    const found = await world.accounts.findOrganization(orgId);
    if (!found) throw new Error('no organization');
    return found;
  };

  test('gives each request the defaults that it does not set, and both tags', async () => {
    const requests = [
      { url: urlOf(1), tags: ['own', 'all'] },
      { url: urlOf(2), render_js: false },
    ];
    requestsFor([1, 2]);
    const id = await submitted({ defaults: { render_js: true }, requests, tags: ['all'] });
    await service.work();
    const [plain, rendered] = await jobsOf(id);
    expect([plain?.['credits_used'], rendered?.['credits_used']]).toEqual([1, 5]);
    expect(rendered?.['tags']).toEqual(['all', 'own']);
    expect((await shown(id)).json['credits_used']).toBe(6);
  });

  test('counts the jobs that run at this moment', async () => {
    const slow = slowPage('slow');
    const id = await submitted({ requests: requestsFor(['slow', 'slow', 'slow', 'slow', 'slow']) });
    const working = service.work();
    await expect.poll(slow.fetched).toBe(2);
    expect(await counts(id)).toMatchObject({ pending: 3, running: 2, completed: 0 });
    slow.finish();
    await working;
    expect(await counts(id)).toMatchObject({ pending: 0, running: 0, completed: 5 });
  });

  test('waits in its order, each request at a time of its own', async () => {
    const id = await submitted({ requests: requestsFor(numbered(40)) });
    const waiting = await world.jobs.waiting({ orgId, batchId: id }, { limit: 100 });
    expect(waiting.map(({ batch }) => batch?.index)).toEqual(numbered(40));
    expect(new Set(waiting.map(({ dueAt }) => dueAt.getTime())).size).toBe(40);
  });

  test('with an Idempotency-Key is one batch, however often it is sent', async () => {
    const body = { requests: requestsFor([1, 2]) };
    const first = await submit(body, { 'Idempotency-Key': 'a' });
    const again = await submit(body, { 'Idempotency-Key': 'a' });
    expect([again.status, again.json['batch_id']]).toEqual([202, first.json['batch_id']]);
    expect([first, again].map(({ headers }) => headers['Idempotent-Replayed'])).toEqual([undefined, 'true']);
    expect(world.jobs.all()).toHaveLength(2);
    const other = await submit({ requests: requestsFor([1]) }, { 'Idempotency-Key': 'a' });
    expect([other.status, other.json['code']]).toEqual([422, 'idempotency_key_reused']);
  });

  test('runs after single jobs, in turn with other batches', async () => {
    await service.organization();
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
    for (const name of ['single-1', 'single-2']) await service.post(JOBS, key, noted(name));
    await service.work();
    expect(order).toHaveLength(122);
    expect(order.slice(0, 6).filter((name) => name.startsWith('single'))).toHaveLength(2);
    const ofFirst = order.slice(0, 62).filter((name) => name.startsWith('a')).length;
    // By chance alone fewer than one in a billion runs are outside.
    expect(ofFirst).toBeGreaterThan(8);
    expect(ofFirst).toBeLessThan(52);
  });

  test('fails what has not begun by its deadline', async () => {
    const id = await submitted({ requests: requestsFor([1, 2, 3]), complete_within: 60 });
    world.queue.take();
    world.pass(MINUTE_MS);
    await service.sweepBacklogs();
    expect((await shown(id)).json).toMatchObject({ status: 'completed', counts: { failed: 3 } });
    expect((await jobsOf(id)).map((job) => job['error_code'])).toEqual(Array(3).fill('deadline_exceeded'));
  });

  test('is worked on although every message to the workers is lost', async () => {
    const id = await submitted({ requests: requestsFor([1, 2, 3]) });
    expect(world.queue.take()).toHaveLength(2);
    await service.sweepBacklogs();
    await service.work();
    expect((await shown(id)).json['status']).toBe('completed');
  });

  test('is forgotten 30 days after its deadline', async () => {
    const id = await submitted({ requests: requestsFor([1]) });
    await service.work();
    world.pass(31 * DAY_MS - 5_000);
    expect((await shown(id)).status).toBe(200);
    world.pass(5_000);
    expect((await shown(id)).status).toBe(404);
    expect((await service.ask(BATCHES, { key })).json).toEqual({ data: [] });
  });
});

describe('a batch is refused', () => {
  const refused = async (body: unknown) => {
    const { status, json } = await submit(body as object);
    return { ...json, status } as Record<string, unknown>;
  };

  test('with the faults of every request, by their paths', async () => {
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
    expect(world.jobs.all()).toEqual([]);
  });

  test('with every bad request, also beside one that is no object and a wrong tag', async () => {
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
    expect(world.jobs.all()).toEqual([]);
  });

  test('with a fault of each request before the second of any, so that a long list names all of them', async () => {
    const [a, b, c] = [1, 1, 1];
    const requests = numbered(450).map((n) =>
      n < 350 ? { url: urlOf(n), a, b, c } : { url: 'http://10.0.0.1/' },
    );
    const errors = (await refused({ requests }))['errors'] as { param: string }[];
    const named = new Set(errors.map(({ param }) => Number(/\d+/.exec(param)?.[0])));
    expect([...named].sort((one, other) => one - other)).toEqual(numbered(450));
  });

  test('with too many values in a request, or in its frame', async () => {
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

  test('with many bad defaults, which are not explained for each request', async () => {
    const requests = numbered(1_000).map((n) => ({ url: urlOf(n) }));
    const bad = { if: { selector: 'a', then: Array<number>(450).fill(1) } };
    const defaults = { js_scenario: { instructions: Array<object>(20).fill(bad) } };
    const { status, errors } = await refused({ requests, defaults });
    expect([status, (errors as unknown[]).length]).toEqual([400, 1_020]);
  });

  test('with defaults that would be kept too often', async () => {
    const requests = numbered(300).map((n) => ({ url: urlOf(n) }));
    const instructions = [{ evaluate: 'x'.repeat(99_000) }, { evaluate: 'x'.repeat(99_000) }];
    const defaults = { js_scenario: { instructions } };
    expect(await refused({ requests, defaults })).toMatchObject({
      code: 'request_too_large',
      param: 'defaults',
    });
    expect(world.jobs.all()).toEqual([]);
  });

  test('with a request that must not be repeated, by the path of its method', async () => {
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

  test('with one fault under its own code', async () => {
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
  ])('with %s', async (_, body, param) => {
    expect(await refused(body)).toMatchObject({ status: 400, code: 'invalid_request', param });
  });

  test('with more than 2 MB, but not with 1,000 requests of 1 KB each', async () => {
    const requests = numbered(1_000).map((n) => ({ url: urlOf(`${n}-${'x'.repeat(1_100)}`) }));
    expect(await refused({ requests: [...requests, ...requests] })).toMatchObject({ status: 413 });
    expect(await refused({ requests })).toMatchObject({ status: 202 });
  });

  test('with a request that no job could keep', async () => {
    const instructions = Array.from({ length: 4 }, () => ({ evaluate: 'x'.repeat(120_000) }));
    const large = { url: urlOf(2), render_js: true, js_scenario: { instructions } };
    expect(await refused({ requests: [{ url: urlOf(1) }, large] })).toMatchObject({
      status: 413,
      code: 'request_too_large',
      param: 'requests[1]',
    });
  });

  test('if all of it could cost more than its max_credits, or than is left', async () => {
    const requests = requestsFor(numbered(10), { render_js: true });
    expect(await refused({ requests, max_credits: 49 })).toMatchObject({
      status: 402,
      code: 'cost_cap_exceeded',
      credits_required: 50,
      max_credits: 49,
    });
    expect((await refused({ requests, max_credits: 50 }))['status']).toBe(202);
    const many = requestsFor(numbered(900), { render_js: true });
    expect((await refused({ requests: many }))['status']).toBe(202);
    const premium = requests.map((each) => ({ ...each, max_credits: 4 }));
    expect(await refused({ requests: premium })).toMatchObject({
      status: 402,
      param: 'requests[0].max_credits',
    });
    await service.work();
    expect(await refused({ requests: many })).toMatchObject({ status: 402, code: 'insufficient_credits' });
  });

  test('without a premium proxy, if one request needs it', async () => {
    const requests = [{ url: urlOf(1) }, { url: urlOf(2), premium_proxy: true }];
    expect(await refused({ requests })).toMatchObject({ status: 503, code: 'premium_proxy_unavailable' });
  });
});

describe('the results of a batch', () => {
  test('are one line a job in the order of settlement, each exactly once', async () => {
    const id = await submitted({ requests: requestsFor(numbered(30)) });
    const seen: Line[] = [];
    let query = '';
    for (let round = 0; query !== 'done'; round++) {
      expect(round).toBeLessThan(20);
      world.queue.take();
      await settleSome(id, 7);
      const answer = await results(id, query);
      const lines = linesIn(answer);
      seen.push(...lines);
      const [, next] = /^<[^?]*(\?cursor=[\w-]+)>; rel="next"$/.exec(answer.headers['Link'] ?? '') ?? [];
      if (lines.length > 0 && next) expect(next).toBe(`?cursor=${lines.at(-1)?.cursor}`);
      query = next ?? 'done';
    }
    expect(seen).toHaveLength(30);
    expect(new Set(seen.map((line) => line.custom_id)).size).toBe(30);
    const times = seen.map((line) => String(line['completed_at']));
    expect(times).toEqual([...times].sort());
    expect(seen[0]).toMatchObject({
      batch_id: id,
      status: 'completed',
      credits_used: 1,
      result_url: expect.stringContaining(`${API_URL}${JOBS}/`) as string,
    });
    expect(seen[0]).not.toHaveProperty('body');
  });

  /** Runs some of the waiting jobs, and no others. */
  async function settleSome(id: string, count: number) {
    const pending = (await jobsOf(id, '&status=pending')).map((job) => String(job['job_id']));
    world.pass(1_000);
    await service.work(pending.slice(0, count));
  }

  test('go on after any line', async () => {
    const id = await submitted({ requests: requestsFor(numbered(9)) });
    await service.work();
    const all = linesIn(await results(id));
    for (const [n, line] of all.entries()) {
      const rest = await results(id, `?cursor=${line.cursor}`);
      expect(linesIn(rest)).toEqual(all.slice(n + 1));
      expect(rest.headers).not.toHaveProperty('Link');
    }
  });

  test('have the pages if asked, as text or as base64', async () => {
    const picture = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff]);
    world.web[urlOf('picture')] = page('', { body: picture, contentType: 'image/png' });
    world.web[urlOf('big')] = page('ä'.repeat(5_000));
    world.web[urlOf('gone')] = new AppError('tls_failed');
    const id = await submitted({ requests: requestsFor(['picture', 'big', 'gone']) });
    await service.work();
    const lines = linesIn(await results(id, '?include=body'));
    const bodies = lines.map((line) => [line.custom_id, line['body_encoding'], line['body']]).sort();
    expect(bodies).toEqual([
      ['big', 'utf-8', 'ä'.repeat(5_000)],
      ['gone', undefined, undefined],
      ['picture', 'base64', picture.toString('base64')],
    ]);
  });

  test('end a response after 16 MB of pages, and go on in the next', async () => {
    for (const name of ['a', 'b', 'c']) world.web[urlOf(name)] = page(name.repeat(9_000_000));
    const id = await submitted({ requests: requestsFor(['a', 'b', 'c']) });
    await service.work();
    const first = await results(id, '?include=body');
    expect(linesIn(first)).toHaveLength(1);
    const [, next = ''] = /(\?[^>]+)>/.exec(first.headers['Link'] ?? '') ?? [];
    const second = await results(id, next);
    expect(linesIn(second)).toHaveLength(1);
    expect(linesIn(second)[0]?.['body']).toHaveLength(9_000_000);
  });

  test('end a response at 256 KB of lines, and go on in the next', async () => {
    const names = numbered(50).map((n) => `${n}-${'q'.repeat(7_000)}`);
    for (const name of names) world.web[urlOf(name)] = page('short');
    const id = await submitted({
      requests: names.map((name, n) => ({ url: urlOf(name), custom_id: String(n) })),
    });
    await service.work();
    const first = await results(id);
    expect(Buffer.byteLength(first.text)).toBeLessThanOrEqual(256 * 1_024);
    const [, next = ''] = /(\?[^>]+)>/.exec(first.headers['Link'] ?? '') ?? [];
    const second = await results(id, next);
    expect(second.headers).not.toHaveProperty('Link');
    const read = [first, second].flatMap(linesIn).map((line) => Number(line.custom_id));
    expect(read.sort((a, b) => a - b)).toEqual(numbered(50));
  });

  test('leave out a job that was deleted, and end all the same', async () => {
    const id = await submitted({ requests: requestsFor([1, 2]) });
    await service.work();
    const [newest] = await jobsOf(id);
    await service.ask(`${JOBS}/${String(newest?.['job_id'])}`, { method: 'DELETE', key });
    const answer = await results(id);
    expect(linesIn(answer).map((line) => line.custom_id)).toEqual(['1']);
    expect(answer.headers).not.toHaveProperty('Link');
    expect(await counts(id)).toMatchObject({ completed: 2 });
  });

  test.each(['x', 'AAAAAAAAAAA', '__8', '?', ''])('refuse the cursor %j', async (cursor) => {
    const id = await submitted({ requests: requestsFor([1]) });
    const { status, json } = await results(id, `?cursor=${encodeURIComponent(cursor)}`);
    expect([status, json['param']]).toEqual([400, 'cursor']);
  });
});

describe('a cancelled batch', () => {
  test('begins no more jobs, lets those in progress complete, and costs what they cost', async () => {
    const slow = slowPage('slow');
    const id = await submitted({ requests: requestsFor(['slow', 'slow', 'a', 'b', 'c']) });
    const waiting = await jobsOf(id);
    const working = service.work(waiting.slice(3).map((job) => String(job['job_id'])));
    await expect.poll(slow.fetched).toBe(2);
    const answer = await act(id, 'cancel');
    expect([answer.status, answer.json]).toMatchObject([
      200,
      { status: 'cancelled', counts: { pending: 0, running: 2, failed: 3 } },
    ]);
    slow.finish();
    await working;
    await service.work();
    expect((await shown(id)).json).toMatchObject({
      status: 'cancelled',
      counts: { completed: 2, failed: 3 },
      credits_used: 2,
      completed_at: expect.stringMatching(/^2026-11-21T12:00/) as string,
    });
    expect((await act(id, 'cancel')).status).toBe(200);
    expect((await jobsOf(id, '&status=failed')).map((job) => job['error_code'])).toEqual(
      Array(3).fill('cancelled'),
    );
  });

  test('does not try a job again that fails afterwards', async () => {
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

  test('cannot be cancelled once every job has ended', async () => {
    const id = await submitted({ requests: requestsFor([1]) });
    await service.work();
    const { status, json } = await act(id, 'cancel');
    expect([status, json['code']]).toEqual([409, 'batch_finished']);
  });
});

describe('a retry of what failed', () => {
  test('is a new batch of the failed requests as they were', async () => {
    world.web[urlOf('down')] = new AppError('tls_failed');
    const requests = [
      ...requestsFor(['up']),
      { url: urlOf('down'), custom_id: 'd', tags: ['t'], timeout: 9_000 },
    ];
    const id = await submitted({ requests });
    await service.work();
    world.web[urlOf('down')] = page('up again');
    const answer = await act(id, 'retry_failed', { 'Idempotency-Key': 'r' });
    const retried = String(answer.json['batch_id']);
    expect([answer.status, answer.json['counts']]).toMatchObject([202, { total: 1, pending: 1 }]);
    const again = await act(id, 'retry_failed', { 'Idempotency-Key': 'r' });
    expect(again.json['batch_id']).toBe(retried);
    await service.work();
    expect(linesIn(await results(retried, '?include=body'))).toMatchObject([
      { custom_id: 'd', tags: ['t'], status: 'completed', body: 'up again' },
    ]);
    expect(world.jobs.all().find((job) => job.batch?.id === retried)?.request.timeout).toBe(9_000);
    const nothing = await act(retried, 'retry_failed');
    expect([nothing.status, nothing.json['code']]).toEqual([409, 'nothing_to_retry']);
  });

  test('has the pages that were not charged, if it includes them', async () => {
    world.web[urlOf('wall')] = page('wall', { verdict: { kind: 'bot_wall' } });
    world.web[urlOf('busy')] = page('busy', { status: 503 });
    const id = await submitted({ requests: requestsFor(['up', 'wall', 'busy']) });
    await service.work();
    expect(await counts(id)).toMatchObject({ completed: 3, charged: 1, uncharged: 2 });
    expect((await act(id, 'retry_failed')).json['code']).toBe('nothing_to_retry');
    const retry = async (include: string[]) => {
      const { json } = await service.post(`${BATCHES}/${id}/retry_failed`, key, { include });
      return (await jobsOf(String(json['batch_id']))).map((job) => job.custom_id).sort();
    };
    expect(await retry(['wall'])).toEqual(['wall']);
    expect(await retry(['target_status', 'failed'])).toEqual(['busy']);
    expect(await retry(['wall', 'target_status'])).toEqual(['busy', 'wall']);
  });

  test('is repeated with its Idempotency-Key once the failed jobs are deleted', async () => {
    world.web[urlOf('down')] = new AppError('tls_failed');
    const id = await submitted({ requests: [{ url: urlOf('down') }] });
    await service.work();
    const retry = (name: string) => act(id, 'retry_failed', { 'Idempotency-Key': name });
    const first = await retry('r');
    const [failed] = await jobsOf(id);
    await service.ask(`${JOBS}/${String(failed?.['job_id'])}`, { method: 'DELETE', key });
    const again = await retry('r');
    expect([again.status, again.headers['Idempotent-Replayed']]).toEqual([202, 'true']);
    expect(again.json).toEqual(first.json);
    expect((await retry('other')).json['code']).toBe('nothing_to_retry');
    await submit({ requests: [{ url: urlOf('down') }] }, { 'Idempotency-Key': 'taken' });
    expect((await retry('taken')).json['code']).toBe('idempotency_key_reused');
  });

  test('is refused if a request had headers, cookies, a body or a scenario, which are not kept', async () => {
    world.web[urlOf('down')] = new AppError('tls_failed');
    const id = await submitted({ requests: [{ url: urlOf('down'), custom_id: 'd', cookies: 'a=1' }] });
    await service.work();
    const { status, json } = await act(id, 'retry_failed');
    expect([status, json['code']]).toEqual([409, 'request_not_kept']);
    expect(json['message']).toContain('1 of these 1 jobs had headers, cookies, a body or a scenario');
  });
});

describe('batches', () => {
  test.each(['', 'x', 'AA'])('are not listed from the cursor %j', async (cursor) => {
    const { status, json } = await service.ask(`${BATCHES}?cursor=${cursor}`, { key });
    expect([status, json['param']]).toEqual([400, 'cursor']);
  });

  test('are listed newest first, each on one page, and seen by their organization alone', async () => {
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
    expect((await service.ask(`${JOBS}?batch_id=${id}`, { key: other.key })).json).toEqual({ data: [] });
    const cancel = { method: 'POST', key: other.key };
    expect((await service.ask(`${BATCHES}/${id}/cancel`, cancel)).status).toBe(404);
    expect((await shown('nonsense')).status).toBe(404);
  });
});

describe('a submit that dies', () => {
  test('leaves nothing that runs, and is cleaned up', async () => {
    const { create } = world.jobs;
    world.jobs.create = async (job) =>
      job.batch?.index === 2 ? Promise.reject(new Error('died')) : create(job);
    const requests = requestsFor(numbered(5));
    expect((await submit({ requests })).status).toBe(500);
    const id = world.jobs.all()[0]?.batch?.id ?? '';
    await service.sweepBacklogs();
    await service.work();
    for (let sweeps = 0; sweeps < 2; sweeps++) {
      world.pass(10 * MINUTE_MS);
      await service.sweepBatches();
    }
    expect([world.jobs.all(), await world.batches.find(id)]).toEqual([[], undefined]);
    expect((await service.ask(BATCHES, { key })).json).toEqual({ data: [] });
  });

  test('goes on where it died if it is repeated with its key', async () => {
    const { create } = world.jobs;
    world.jobs.create = async (job) =>
      job.batch?.index === 2 ? Promise.reject(new Error('died')) : create(job);
    const body = { requests: requestsFor(numbered(5)) };
    const headers = { 'Idempotency-Key': 'a' };
    expect((await submit(body, headers)).status).toBe(500);
    world.jobs.create = create;
    expect((await submit(body, headers)).status).toBe(409);
    world.pass(MINUTE_MS);
    const id = String((await submit(body, headers)).json['batch_id']);
    await service.work();
    expect((await shown(id)).json).toMatchObject({ status: 'completed', counts: { completed: 5 } });
    world.pass(10 * MINUTE_MS);
    await service.sweepBatches();
    expect(world.jobs.all()).toHaveLength(5);
  });

  test('leaves no job behind if it is repeated while it is being cleaned up', async () => {
    const { create } = world.jobs;
    world.jobs.create = () => Promise.reject(new Error('died'));
    const body = { requests: requestsFor(numbered(5)) };
    const headers = { 'Idempotency-Key': 'a' };
    expect((await submit(body, headers)).status).toBe(500);
    world.pass(10 * MINUTE_MS);
    const [begun, gate] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    world.jobs.create = async (job) => {
      begun.resolve(undefined);
      await gate.promise;
      return create(job);
    };
    const repeat = submit(body, headers);
    await begun.promise;
    await service.sweepBatches();
    gate.resolve(undefined);
    expect((await repeat).status).toBe(409);
    for (let sweeps = 0; sweeps < 2; sweeps++) {
      world.pass(10 * MINUTE_MS);
      await service.sweepBatches();
    }
    expect(world.jobs.all()).toEqual([]);
    world.jobs.create = create;
    const again = await submit(body, headers);
    await service.work();
    expect((await shown(String(again.json['batch_id']))).json).toMatchObject({ counts: { completed: 5 } });
  });
});
