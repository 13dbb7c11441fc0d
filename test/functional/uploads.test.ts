import { text as textOf } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { divideUpload } from '../../functions/worker/batches/divide-upload.ts';
import { AppError } from '../../shared/errors.ts';
import {
  asNewOrganization,
  key,
  newServiceEachTest,
  orgId,
  service,
  world,
} from '../support/world/each-test.ts';
import { setStatus, updateOrganization } from '../../shared/use-cases/accounts/manage-organizations.ts';
import { page } from '../support/world/pages.ts';

const BATCHES = '/api/v1/scraper/batches';
const MINUTE_MS = 60_000;

type Line = Record<string, unknown> & { line: number; cursor: string };

newServiceEachTest({ overrides: { concurrency: 4, credits: 100_000 } });

const urlOf = (name: number | string) => `https://example.com/${name}`;
const linesFor = (names: readonly (number | string)[]) =>
  names.map((name) => JSON.stringify({ url: urlOf(name), custom_id: String(name) }));
const numbered = (count: number) => Array.from({ length: count }, (_, n) => n);

async function submit(fields = {}, headers = {}) {
  const { json } = await service.post(BATCHES, key, { input: 'upload', ...fields }, headers);
  return { id: String(json['batch_id']), link: String(json['upload_url']), json };
}
const act = (id: string, action: string, headers = {}) =>
  service.ask(`${BATCHES}/${id}/${action}`, { method: 'POST', key, headers });
const shown = async (id: string) => (await service.ask(`${BATCHES}/${id}`, { key })).json;
const results = (id: string, query = '', headers = {}) =>
  service.ask(`${BATCHES}/${id}/results${query}`, { key, headers });
const linesIn = ({ text }: { text: string }) =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);

/** Uploads the lines, and starts the batch. */
async function uploaded(lines: readonly string[], fields = {}) {
  const { id, link } = await submit(fields);
  world.uploads.send(link, lines.join('\n'));
  expect((await act(id, 'start')).status).toBe(200);
  return id;
}

/** All results, response by response. */
async function allResults(id: string, query = '') {
  const all: Line[] = [];
  for (let next: string | undefined = query; next !== undefined;) {
    const answer = await results(id, next);
    all.push(...linesIn(answer));
    next = /<[^?]*(\?[^>]+)>/.exec(answer.headers['Link'] ?? '')?.[1];
  }
  return all;
}

test('an upload of ten lines runs side by side in ten free slots', async () => {
  await asNewOrganization({ overrides: { concurrency: 10, credits: 100 } });
  const gate = Promise.withResolvers<undefined>();
  let fetched = 0;
  for (const n of numbered(10))
    world.web[urlOf(n)] = async () => {
      fetched += 1;
      await gate.promise;
      return page('slow');
    };
  const id = await uploaded(linesFor(numbered(10)));
  await service.work();
  const working = service.work();
  await expect.poll(() => fetched).toBe(10);
  expect(await shown(id)).toMatchObject({ counts: { running: 10, pending: 0 } });
  gate.resolve(undefined);
  await working;
  expect(await shown(id)).toMatchObject({ status: 'completed', counts: { completed: 10, charged: 10 } });
});

test('an upload is divided over the slots of its submit, though the plan changes before it is read', async () => {
  await asNewOrganization({ overrides: { concurrency: 10, credits: 100 } });
  for (const n of numbered(10)) world.web[urlOf(n)] = page('quick');
  const id = await uploaded(linesFor(numbered(10)));
  await updateOrganization(world, orgId, { overrides: { concurrency: 2 } });
  await service.work();
  expect((await world.batches.find(id))?.upload.chunks).toBe(10);
});

test('an upload says how many of its requests were charged, and what came back', async () => {
  world.web[urlOf('page')] = page('page');
  world.web[urlOf('wall')] = page('wall', { verdict: { kind: 'bot_wall', by: 'cloudflare' } });
  world.web[urlOf('login')] = page('login', { verdict: { kind: 'login_wall' } });
  world.web[urlOf('busy')] = page('busy', { status: 503, verdict: { kind: 'page' } });
  world.web[urlOf('gone')] = new AppError('tls_failed');
  const id = await uploaded([...linesFor(['page', 'wall', 'login', 'busy', 'gone']), 'nonsense']);
  await service.work();
  await service.work();
  const { counts, credits_used: used } = await shown(id);
  expect([counts, used]).toMatchObject([
    { total: 6, invalid: 1, completed: 4, failed: 1, charged: 2, uncharged: 4 },
    2,
  ]);
  expect((counts as { by_verdict: object }).by_verdict).toEqual({ page: 2, bot_wall: 1, login_wall: 1 });
});

test('an upload whose defaults no batch could keep is refused', async () => {
  const instructions = Array.from({ length: 4 }, () => ({ evaluate: 'x'.repeat(120_000) }));
  const { json } = await submit({ defaults: { render_js: true, js_scenario: { instructions } } });
  expect(json).toMatchObject({ code: 'request_too_large', param: 'defaults' });
});

test('an upload is run, counted, charged, and returned line by line', async () => {
  for (const n of numbered(60)) world.web[urlOf(n)] = page(`page ${n}`);
  world.web[urlOf(7)] = new AppError('tls_failed');
  const { id, link, json } = await submit({ tags: ['nightly'], defaults: { tags: ['shop'] } });
  expect(json).toMatchObject({ status: 'waiting_for_upload', counts: { total: 0 }, tags: ['nightly'] });
  world.uploads.send(link, [...linesFor(numbered(60)), '', 'nonsense', '{"url":"ftp://x"}'].join('\r\n'));
  expect((await act(id, 'start')).json).toMatchObject({ status: 'running' });
  await service.work();
  await service.work();
  expect(await shown(id)).toMatchObject({
    status: 'completed',
    counts: { total: 62, invalid: 2, pending: 0, running: 0, completed: 59, failed: 1 },
    credits_used: 59,
  });
  const lines = await allResults(id);
  expect(lines.map(({ line }) => line).sort((a, b) => a - b)).toEqual([
    ...numbered(60).map((n) => n + 1),
    62,
    63,
  ]);
  const byLine = Object.fromEntries(lines.map((line) => [line.line, line]));
  expect(byLine[1]).toMatchObject({
    status: 'completed',
    custom_id: '0',
    url: urlOf(0),
    batch_id: id,
    credits_used: 1,
    tags: ['nightly', 'shop'],
  });
  expect(byLine[8]).toMatchObject({
    status: 'failed',
    error_code: 'tls_failed',
    credits_used: 0,
    attempts: 1,
  });
  expect(byLine[62]).toMatchObject({ status: 'failed', error_code: 'invalid_request', attempts: 0 });
  expect(byLine[63]).toMatchObject({ error_code: 'url_not_allowed', url: 'ftp://x' });
  const withBodies = await allResults(id, '?include=body');
  expect(withBodies.find(({ line }) => line === 60)).toMatchObject({
    body: 'page 59',
    body_encoding: 'utf-8',
  });
});

test('a large upload is divided into chunks, and each line is run once', async () => {
  const fetched: string[] = [];
  const { fetchPage } = world;
  world.fetchPage = (request, context) => {
    fetched.push(request.url);
    return fetchPage(request, context);
  };
  for (const n of numbered(400)) world.web[urlOf(n)] = page(`page ${n}`);
  const id = await uploaded(linesFor(numbered(400)));
  for (let round = 0; round < 20; round++) {
    await service.work();
    await service.sweepBacklogs();
  }
  expect(await shown(id)).toMatchObject({ status: 'completed', counts: { total: 400, completed: 400 } });
  expect(fetched.toSorted()).toEqual(numbered(400).map(urlOf).toSorted());
  const lines = await allResults(id);
  expect(new Set(lines.map(({ line }) => line)).size).toBe(400);
  expect(lines).toHaveLength(400);
});

test('a large upload is read on by another invocation when the time of one is up', async () => {
  for (const n of numbered(60)) world.web[urlOf(n)] = page(`page ${n}`);
  const id = await uploaded(linesFor(numbered(60)), { max_credits: 60 });
  const batch = await world.batches.find(id);
  if (!batch) throw new Error('There is no batch.');
  const late = { policy: { allow: [] }, signal: AbortSignal.abort() };
  expect(await divideUpload(world, batch, late)).toBeUndefined();
  expect((await world.batches.find(id))?.upload.read).toMatchObject({
    line: 26,
    requests: 25,
    credits: 25,
    chunk: 1,
  });
  for (let round = 0; round < 5; round++) {
    await service.work();
    await service.sweepBacklogs();
  }
  expect(await shown(id)).toMatchObject({ status: 'completed', counts: { total: 60, completed: 60 } });
});

test('a large upload waits in its order, each chunk at a time of its own', async () => {
  const id = await uploaded(linesFor(numbered(400)));
  await service.work();
  const waiting = await world.chunks.waiting({ id, orgId }, 100);
  expect(waiting.map(({ index }) => index)).toEqual(numbered(waiting.length));
  expect(waiting.length).toBeGreaterThan(5);
  expect(new Set(waiting.map(({ dueAt }) => dueAt?.getTime())).size).toBe(waiting.length);
});

test('a large upload has results that continue after any line', async () => {
  for (const n of numbered(40)) world.web[urlOf(n)] = page(`page ${n}`);
  const id = await uploaded(linesFor(numbered(40)));
  await service.work();
  await service.work();
  const all = await allResults(id);
  expect(all).toHaveLength(40);
  for (const [n, { cursor }] of all.entries()) {
    const rest = await allResults(id, `?cursor=${cursor}`);
    expect(rest.map(({ line }) => line)).toEqual(all.slice(n + 1).map(({ line }) => line));
  }
});

test('a large upload has its results as links to stored portions', async () => {
  for (const n of numbered(30)) world.web[urlOf(n)] = page(`page ${n}`);
  const id = await uploaded(linesFor(numbered(30)));
  await service.work();
  await service.work();
  const { json, headers } = await results(id, '', { Accept: 'application/json' });
  expect(headers['Vary']).toMatch(/^Accept(, Accept-Encoding)?$/);
  const parts = json['data'] as { url: string; lines: number; bytes: number }[];
  expect(parts.map(({ lines }) => lines)).toEqual([8, 8, 8, 6]);
  expect(json).not.toHaveProperty('next_cursor');
  expect(headers['Content-Type']).toContain('application/json');
  for (const { url, bytes, lines } of parts) {
    const stored = await world.results.open(new URL(url).pathname.slice(1));
    const text = stored && (await textOf(stored.pipe(createGunzip())));
    expect([text?.length, text?.split('\n').filter(Boolean).length]).toEqual([bytes, lines]);
    expect(JSON.parse(text?.split('\n')[0] ?? '')).toMatchObject({
      body: expect.stringContaining('page') as string,
    });
  }
});

test('a line is tried again as a job is, and its attempts are counted', async () => {
  let tries = 0;
  world.web[urlOf('flaky')] = async () => {
    await Promise.resolve();
    if (++tries < 3) throw new AppError('connect_failed');
    return page('there');
  };
  world.web[urlOf('down')] = new AppError('connect_failed');
  const id = await uploaded(linesFor(['flaky', 'down']));
  for (let minute = 0; minute < 4; minute++) {
    await service.work();
    world.pass(MINUTE_MS);
    await service.sweepBacklogs();
  }
  const lines = await allResults(id);
  expect(lines).toMatchObject([
    { line: 1, status: 'completed', attempts: 3 },
    { line: 2, status: 'failed', attempts: 3, error_code: 'connect_failed' },
  ]);
  expect(await shown(id)).toMatchObject({ counts: { completed: 1, failed: 1 }, credits_used: 1 });
});

test.each([
  ['a misspelt field', '{"url":"https://example.com/","render_jss":true}', "Did you mean 'render_js'?"],
  ['a list', '[1]', 'must be a JSON object'],
  ['broken JSON', '{"url": "https://example.com/",}', 'not valid JSON: see line 1, column 32'],
  ['a field twice', '{"url":"https://a.example/","url":"https://b.example/"}', 'more than once'],
  ['more than 256 KiB', JSON.stringify({ url: urlOf('x'.repeat(300_000)) }), 'longer than 256 KiB'],
  [
    'a condition that the defaults break',
    '{"url":"https://example.com/","wait":5}',
    'only allowed with render_js',
  ],
  ['a cost beyond its own cap', '{"url":"https://example.com/","max_credits":0}', 'could cost 1 credit,'],
  [
    'a POST, which must not be sent twice',
    '{"url":"https://example.com/","method":"POST","body":"a=1"}',
    'only GET is allowed in a batch',
  ],
  [
    'a premium proxy that is not configured',
    '{"url":"https://example.com/","premium_proxy":true}',
    'No premium proxy',
  ],
  ['too many values', JSON.stringify({ url: urlOf(1), tags: Array(10_001).fill(1) }), '10,000 values'],
])('a line with %s is invalid, and stops no other', async (_, line, message) => {
  world.web[urlOf('ok')] = page('ok');
  const id = await uploaded([line, ...linesFor(['ok'])], { defaults: { timeout: 5_000 } });
  await service.work();
  await service.work();
  expect(await shown(id)).toMatchObject({
    counts: { total: 2, invalid: 1, completed: 1 },
    credits_used: 1,
  });
  const [bad] = await allResults(id);
  expect(bad?.['error']).toContain(message);
});

test('a line that meets a fault of the service is tried again, and the fault is logged', async () => {
  world.web[urlOf('fault')] = () => Promise.reject(new Error('a fault'));
  const id = await uploaded(linesFor(['fault']));
  for (let minute = 0; minute < 4; minute++) {
    await service.work();
    world.pass(MINUTE_MS);
    await service.sweepBacklogs();
  }
  expect(await allResults(id)).toMatchObject([{ error_code: 'internal', attempts: 3 }]);
  expect(service.lines).toContainEqual(expect.objectContaining({ message: 'lines', code: 'internal' }));
});

test('a line that kills its worker is given up after four, and the others are run', async () => {
  for (const n of numbered(25)) world.web[urlOf(n)] = page('up');
  let begun = 0;
  // A worker that never continues is as good as dead.
  world.web[urlOf(20)] = () => {
    begun += 1;
    return new Promise(() => undefined);
  };
  const id = await uploaded(linesFor(numbered(25)));
  await service.work();
  for (let death = 1; death <= 4; death++) {
    void service.work();
    await expect.poll(() => begun).toBe(death);
    const inProgress = () => world.chunks.all().filter(({ status }) => /running|settling/.test(status));
    await expect.poll(inProgress).toHaveLength(1);
    world.pass(3 * MINUTE_MS);
    await service.sweepChunks();
  }
  await service.work();
  expect(await shown(id)).toMatchObject({ status: 'completed', counts: { completed: 24, failed: 1 } });
  const failed = (await allResults(id)).filter(({ status }) => status === 'failed');
  expect(failed).toMatchObject([{ line: 21, error_code: 'attempts_exhausted' }]);
  expect(begun).toBe(4);
});

test('a line that waits for a retry hides no others, and one without a browser stops no others', async () => {
  for (const n of numbered(1_400))
    world.web[urlOf(n)] = n < 1_300 ? new AppError('connect_failed') : page('up');
  const id = await uploaded(linesFor(numbered(1_400)));
  for (let round = 0; round < 3; round++) await service.work();
  await service.sweepBacklogs();
  await service.work();
  expect(await shown(id)).toMatchObject({ counts: { completed: 100 } });

  let tries = 0;
  world.renderPage = () => {
    tries += 1;
    return Promise.reject(new AppError('busy'));
  };
  world.queue.take();
  const rendered = numbered(1_000).map((n) => JSON.stringify({ url: urlOf(n), render_js: true }));
  await uploaded(rendered);
  await service.work();
  await service.work();
  expect(tries).toBeLessThan(10);
});

test('a line has a page that is no text as base64, and a large one whole', async () => {
  const picture = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0x00]);
  const large = `${'ä€😀"\\\n'.repeat(300_000)}end`;
  world.web[urlOf('picture')] = page('', { body: picture, contentType: 'image/png' });
  world.web[urlOf('large')] = page(large);
  const id = await uploaded(linesFor(['picture', 'large']));
  await service.work();
  await service.work();
  const [first, second] = await allResults(id, '?include=body');
  expect([first?.['body'], first?.['body_encoding']]).toEqual([picture.toString('base64'), 'base64']);
  expect(second?.['body'] === large).toBe(true);
});

test('a batch that waits for its upload is not started without one, and is started once', async () => {
  const { id, link } = await submit();
  const early = await act(id, 'start');
  expect([early.status, early.json['code']]).toEqual([409, 'upload_missing']);
  world.uploads.send(link, '');
  expect((await act(id, 'start')).json['code']).toBe('upload_missing');
  expect(await shown(id)).toMatchObject({ status: 'waiting_for_upload', upload_url: link });
  world.web[urlOf('a')] = page('a');
  world.uploads.send(link, linesFor(['a']).join('\n'));
  for (let again = 0; again < 2; again++) expect((await act(id, 'start')).status).toBe(200);
  await service.work();
  await service.work();
  expect((await act(id, 'start')).json).toMatchObject({ status: 'completed', counts: { completed: 1 } });
  expect(await shown(id)).not.toHaveProperty('upload_url');
});

test('a batch that waits for its upload is made once for an Idempotency-Key, and refused if another body has it', async () => {
  const first = await submit({ tags: ['a'] }, { 'Idempotency-Key': 'k' });
  const again = await submit({ tags: ['a'] }, { 'Idempotency-Key': 'k' });
  expect([again.id, again.json['upload_url']]).toEqual([first.id, first.link]);
  const other = await service.post(BATCHES, key, { input: 'upload' }, { 'Idempotency-Key': 'k' });
  expect([other.status, other.json['code']]).toEqual([422, 'idempotency_key_reused']);
});

test.each([
  [{ input: 'file' }, 'input'],
  [{ input: 'upload', requests: [] }, 'requests'],
  [{ input: 'upload', defaults: { url: 'https://example.com/' } }, 'defaults.url'],
  [{ input: 'upload', defaults: { wait: -1 } }, 'defaults.wait'],
  [{ input: 'upload', defaults: { method: 'POST' } }, 'defaults.method'],
  [{ input: 'upload', webhook: 'http://example.com/' }, 'webhook'],
  [{ input: 'upload', complete_within: 1 }, 'complete_within'],
  [{ input: 'upload', content_length: 0 }, 'content_length'],
  [{ input: 'upload', content_length: 1_000_000_001 }, 'content_length'],
  [{ input: 'upload', content_length: '8' }, 'content_length'],
])('a batch that waits for its upload is refused if it is %j, by the path %s', async (body, param) => {
  const { status, json } = await service.post(BATCHES, key, body);
  expect([status, json['param']]).toEqual([400, param]);
});

test('a batch that waits for its upload takes exactly as many bytes as its content_length says, also by a fresh link', async () => {
  const { id, link } = await submit({ content_length: 8 });
  expect(new URL(link).searchParams.get('length')).toBe('8');
  expect(await shown(id)).toMatchObject({ upload_url: link });
  expect(new URL((await submit()).link).searchParams.has('length')).toBe(false);
});

test('a batch that waits for its upload is deleted if it is too large to be started, and can be sent again', async () => {
  const { id, link } = await submit();
  world.uploads.sendSize(link, 1_000_000_001);
  expect(await act(id, 'start')).toMatchObject({ status: 413, json: { code: 'upload_too_large' } });
  expect((await act(id, 'start')).json['code']).toBe('upload_missing');
  world.uploads.send(link, '{}');
  expect((await act(id, 'start')).status).toBe(200);
});

test('a batch that waits for its upload is deleted if its batch is cancelled before it starts', async () => {
  const { id, link } = await submit();
  world.uploads.send(link, '{}');
  await act(id, 'cancel');
  expect(await world.uploads.find(`results/${orgId}/${id}/requests.ndjson`)).toBeUndefined();
  const other = await uploaded(linesFor(['a']));
  await act(other, 'cancel');
  expect(await world.uploads.find(`results/${orgId}/${other}/requests.ndjson`)).toBeDefined();
});

test('a batch that waits for its upload is one of 50 that wait at once, until one is started, cancelled or expired', async () => {
  const mine = await service.organization({ overrides: { rpm: 1_000, readsPerMinute: 1_000 } });
  const of = async (headers = {}) => service.post(BATCHES, mine.key, { input: 'upload' }, headers);
  const first = await of({ 'Idempotency-Key': 'first' });
  const ids = [first, ...(await Promise.all(Array.from({ length: 49 }, () => of())))].map(({ json }) =>
    String(json['batch_id']),
  );
  const refused = async () => (await of()).json['code'];
  expect(await of()).toMatchObject({ status: 409, json: { code: 'too_many_uploads' } });
  expect((await of({ 'Idempotency-Key': 'first' })).status).toBe(202);
  expect((await service.post(BATCHES, key, { input: 'upload' })).status).toBe(202);
  const post = (id = '', action = '') =>
    service.ask(`${BATCHES}/${id}/${action}`, { method: 'POST', key: mine.key });
  await post(ids[1], 'cancel');
  expect(await refused()).toBeUndefined();
  expect(await refused()).toBe('too_many_uploads');
  world.uploads.send(String(first.json['upload_url']), '{}');
  await post(ids[0], 'start');
  expect(await refused()).toBeUndefined();
  expect(await refused()).toBe('too_many_uploads');
  world.pass(24 * 60 * MINUTE_MS + 1);
  expect(await refused()).toBeUndefined();
});

test('a batch that waits for its upload is deleted if it is never started, and ends if it is cancelled', async () => {
  const { id } = await submit();
  world.pass(24 * 60 * MINUTE_MS);
  expect((await service.ask(`${BATCHES}/${id}`, { key })).status).toBe(404);
  const other = await submit();
  const answer = await act(other.id, 'cancel');
  expect([answer.status, answer.json]).toMatchObject([200, { status: 'cancelled', counts: { total: 0 } }]);
  expect((await act(other.id, 'start')).json['code']).toBe('batch_finished');
});

test('an upload that cannot be run has more than a million requests', async () => {
  const id = await uploaded(Array<string>(1_000_001).fill('1'));
  await service.work();
  expect(await shown(id)).toMatchObject({
    status: 'cancelled',
    error_code: 'upload_too_large',
    error: 'The upload has more than 1,000,000 requests. Divide it into several batches.',
  });
});

test('an upload that cannot be run could cost more than its max_credits', async () => {
  const id = await uploaded(linesFor(numbered(30)), { max_credits: 29 });
  await service.work();
  expect(await shown(id)).toMatchObject({
    status: 'cancelled',
    error_code: 'cost_cap_exceeded',
    credits_used: 0,
  });
  const other = await uploaded(linesFor(numbered(30)), { max_credits: 30 });
  await service.work();
  expect(await shown(other)).toMatchObject({ counts: { total: 30 } });
});

test('an upload that cannot be run could not be read before its deadline', async () => {
  const id = await uploaded(linesFor(numbered(2)), { complete_within: 60 });
  world.pass(MINUTE_MS);
  await service.work();
  expect(await shown(id)).toMatchObject({ status: 'cancelled', error_code: 'deadline_exceeded' });
});

test('an upload that cannot be run was replaced after its start', async () => {
  const { id, link } = await submit();
  world.uploads.send(link, linesFor(numbered(2)).join('\n'));
  await act(id, 'start');
  world.uploads.send(link, 'other');
  await service.work();
  expect(await shown(id)).toMatchObject({ status: 'cancelled', error_code: 'upload_missing' });
});

test('an upload that cannot be run has no requests at all', async () => {
  const id = await uploaded(['', '  ', '']);
  await service.work();
  expect(await shown(id)).toMatchObject({ status: 'completed', counts: { total: 0 } });
  expect(await allResults(id)).toEqual([]);
});

test('lines that may no longer run are failed when the batch is cancelled, and lines in progress end', async () => {
  const gate = Promise.withResolvers<undefined>();
  let fetched = 0;
  for (const n of numbered(60))
    world.web[urlOf(n)] = async () => {
      fetched += 1;
      await gate.promise;
      return page('slow');
    };
  const id = await uploaded(linesFor(numbered(60)));
  await service.work();
  const working = service.work();
  await expect.poll(() => fetched).toBe(4);
  expect(await shown(id)).toMatchObject({ counts: { running: 4, pending: 56 } });
  expect((await act(id, 'cancel')).json).toMatchObject({ status: 'cancelled' });
  world.pass(1_000);
  gate.resolve(undefined);
  await working;
  expect(fetched).toBe(4);
  expect((await act(id, 'cancel')).status).toBe(200);
  expect(await shown(id)).toMatchObject({
    status: 'cancelled',
    completed_at: expect.any(String) as string,
    counts: { total: 60, pending: 0, running: 0, completed: 4, failed: 56, charged: 4, uncharged: 56 },
    credits_used: 4,
  });
  const lines = await allResults(id);
  expect(new Set(lines.map(({ line }) => line)).size).toBe(60);
  expect(lines.find(({ line }) => line === 60)).toMatchObject({
    error_code: 'cancelled',
    custom_id: '59',
    attempts: 0,
  });
  const { json } = await results(id, '', { Accept: 'application/json' });
  expect(json['data']).toContainEqual({ lines: 14, first_line: 17, error_code: 'cancelled' });
});

test('lines that may no longer run fail at the deadline of the batch', async () => {
  for (const n of numbered(30)) world.web[urlOf(n)] = page('late');
  const id = await uploaded(linesFor(numbered(30)), { complete_within: 60 });
  await service.work();
  world.queue.take();
  world.pass(MINUTE_MS);
  await service.sweepBacklogs();
  expect(await shown(id)).toMatchObject({ status: 'completed', counts: { failed: 30 }, credits_used: 0 });
  expect((await allResults(id))[0]).toMatchObject({
    error_code: 'deadline_exceeded',
    error: 'The batch did not finish in time.',
  });
});

test('lines that may no longer run do not begin after the deadline of the batch', async () => {
  await asNewOrganization({ overrides: { concurrency: 1, credits: 100 } });
  let begun = 0;
  for (const n of numbered(25))
    world.web[urlOf(n)] = async () => {
      await Promise.resolve();
      begun += 1;
      world.pass(6_000);
      return page('slow');
    };
  const id = await uploaded(linesFor(numbered(25)), { complete_within: 60 });
  await service.work();
  world.pass(50_000);
  await service.work();
  expect(begun).toBe(2);
  await service.sweepBacklogs();
  expect(await shown(id)).toMatchObject({ status: 'completed', counts: { completed: 2, failed: 23 } });
});

test('lines that may no longer run wait for credits that other scrapes only hold', async () => {
  await asNewOrganization({ overrides: { concurrency: 4, credits: 27 } });
  for (const n of numbered(100)) world.web[urlOf(n)] = new AppError('tls_failed');
  const gate = Promise.withResolvers<undefined>();
  let waiting = 0;
  const slow = async () => {
    waiting += 1;
    await gate.promise;
    throw new AppError('tls_failed');
  };
  for (const n of [0, 25, 50, 75]) world.web[urlOf(n)] = slow;
  const id = await uploaded(linesFor(numbered(100)));
  await service.work();
  const working = service.work();
  // Two turns have all credits between them.
  await expect.poll(() => waiting).toBe(2);
  gate.resolve(undefined);
  await working;
  for (let round = 0; round < 8; round++) {
    world.pass(5_000);
    await service.work();
    await service.sweepBacklogs();
  }
  const codes = new Set((await allResults(id)).map((line) => line['error_code']));
  expect([(await shown(id))['counts'], codes]).toMatchObject([{ failed: 100 }, new Set(['tls_failed'])]);
});

test('lines that may no longer run that cost more than is left fail alone', async () => {
  await asNewOrganization({ overrides: { concurrency: 1, credits: 3 } });
  world.web[urlOf('plain')] = page('plain');
  const rendered = JSON.stringify({ url: urlOf('rendered'), render_js: true });
  const id = await uploaded([rendered, ...linesFor(['plain', 'plain'])]);
  await service.work();
  await service.work();
  expect((await allResults(id)).map((line) => line['error_code'] ?? line['status'])).toEqual([
    'insufficient_credits',
    'completed',
    'completed',
  ]);
});

test('lines that may no longer run fail once the credits are used, and not before', async () => {
  await asNewOrganization({ overrides: { concurrency: 1, credits: 10 } });
  for (const n of numbered(30)) world.web[urlOf(n)] = page('page');
  const id = await uploaded(linesFor(numbered(30)));
  for (let round = 0; round < 4; round++) {
    // A turn may have found that another held the last credits.
    world.pass(5_000);
    await service.work();
    await service.sweepBacklogs();
  }
  expect(await shown(id)).toMatchObject({ counts: { completed: 10, failed: 20 }, credits_used: 10 });
  const refused = (await allResults(id)).filter((line) => line['error_code'] === 'insufficient_credits');
  expect(refused).toHaveLength(20);
});

test('lines that may no longer run fail if the organization is suspended', async () => {
  await asNewOrganization();
  const id = await uploaded(linesFor(numbered(3)));
  await service.work();
  await setStatus(world, orgId, 'suspended');
  await service.work();
  await setStatus(world, orgId, 'active');
  expect(await shown(id)).toMatchObject({ counts: { failed: 3 } });
  expect((await allResults(id))[0]).toMatchObject({ error_code: 'organization_suspended' });
});

describe('a retry of what failed in an upload', () => {
  const names = ['page', 'wall', 'busy', 'gone'];
  test.each([
    [undefined, ['gone']],
    [['failed'], ['gone']],
    [['wall'], ['wall']],
    [['target_status'], ['busy']],
    [
      ['wall', 'wall', 'target_status', 'failed'],
      ['wall', 'busy', 'gone'],
    ],
  ])('that includes %j has the requests that ended so', async (include, expected) => {
    world.web[urlOf('page')] = page('page');
    world.web[urlOf('wall')] = page('wall', { verdict: { kind: 'bot_wall' } });
    world.web[urlOf('busy')] = page('busy', { status: 503 });
    world.web[urlOf('gone')] = new AppError('tls_failed');
    const id = await uploaded(['nonsense', ...linesFor(names)]);
    await service.work();
    await service.work();
    const path = `${BATCHES}/${id}/retry_failed`;
    const { status, json } = include
      ? await service.post(path, key, { include })
      : await act(id, 'retry_failed');
    expect([status, json['counts']]).toMatchObject([202, { total: expected.length }]);
    await service.work();
    await service.work();
    const lines = await allResults(String(json['batch_id']));
    expect(lines.map((line) => line['custom_id']).sort()).toEqual([...expected].sort());
  });

  test('that includes what did not happen is refused, and so is an unknown name', async () => {
    world.web[urlOf('page')] = page('page');
    const id = await uploaded(linesFor(['page']));
    await service.work();
    await service.work();
    const retry = (body: object) => service.post(`${BATCHES}/${id}/retry_failed`, key, body);
    expect((await retry({ include: ['wall', 'target_status'] })).json['code']).toBe('nothing_to_retry');
    for (const [body, param] of [
      [{ include: ['walls'] }, 'include[0]'],
      [{ include: [] }, 'include'],
      [{ includes: ['wall'] }, 'includes'],
    ] as const)
      expect((await retry(body)).json).toMatchObject({ code: 'invalid_request', param });
  });

  test('waits for the end of the batch', async () => {
    const gate = Promise.withResolvers<undefined>();
    world.web[urlOf('slow')] = async () => {
      await gate.promise;
      return page('late');
    };
    world.web[urlOf('down')] = new AppError('tls_failed');
    const id = await uploaded(linesFor(['down', 'slow']));
    await service.work();
    const working = service.work();
    await expect.poll(async () => (await shown(id))['counts']).toMatchObject({ running: 1 });
    const early = await act(id, 'retry_failed');
    expect([early.status, early.json['code']]).toEqual([409, 'batch_not_finished']);
    gate.resolve(undefined);
    await working;
    const retried = String((await act(id, 'retry_failed')).json['batch_id']);
    await service.work();
    expect(await shown(retried)).toMatchObject({ counts: { total: 1 } });
  });

  test('has the lines of a cancelled batch that were not run', async () => {
    for (const n of numbered(3)) world.web[urlOf(n)] = page('page');
    const id = await uploaded(linesFor(numbered(3)));
    await service.work();
    world.queue.take();
    await act(id, 'cancel');
    expect(await shown(id)).toMatchObject({ status: 'cancelled', counts: { failed: 3 } });
    const retried = String((await act(id, 'retry_failed')).json['batch_id']);
    await service.work();
    await service.work();
    expect(await shown(retried)).toMatchObject({ status: 'completed', counts: { completed: 3 } });
  });
});
