import { gunzipSync } from 'node:zlib';
import { beforeEach, expect, test } from 'vitest';
import { Part } from '../../shared/contract/scrape/part.ts';
import { readLine } from '../../shared/request/read-line.ts';
import {
  JOBS,
  key,
  newServiceEachTest,
  orgId,
  service,
  submitJob,
  usage,
  world,
} from '../support/world/each-test.ts';
import { page } from '../support/world/pages.ts';
import { expectRefused } from '../support/world/refusals.ts';

const SCRAPE = '/api/v1/scraper';
const url = 'https://example.com/';
const CODE = '<pre><code>one\n\ntwo\n\nthree</code></pre>';
const paragraph = (n: number) => `<p>${n}: Größe, 漢字, 😀. ${`The ${n}th words. `.repeat(20 + (n % 7))}</p>`;
const htmlOf = (count: number) =>
  `<main>${Array.from({ length: count }, (_, n) => paragraph(n) + CODE.replace('two', `two ${n}`)).join('')}</main>`;

newServiceEachTest();
beforeEach(() => {
  world.web[url] = page(htmlOf(20));
});

type Answer = Awaited<ReturnType<typeof service.ask>>;
const lengthOf = (text: string) => Array.from(text).length;
const scrape = (fields: object) => service.post(SCRAPE, key, { url, ...fields });
const whole = async (format: string) => (await scrape({ format })).text;

async function jobOf(fields: object): Promise<string> {
  const id = await submitJob({ url, ...fields });
  await service.work();
  return id;
}
const resultOf = (id: string, query = '', more: object = {}) =>
  service.ask(`${JOBS}/${id}/result${query}`, { key, ...more });

/** All parts, each begun where the one before says. */
async function walk(partAt: (offset: number) => Promise<Answer>): Promise<Answer[]> {
  const parts: Answer[] = [];
  for (let next: string | undefined = '0'; next !== undefined; next = parts.at(-1)?.headers['X-Next-Offset'])
    parts.push(await partAt(Number(next)));
  return parts;
}

function expectWhole(parts: Answer[], text: string, maxChars: number): void {
  expect(parts.length).toBeGreaterThan(2);
  expect(parts.map((part) => part.text).join('')).toBe(text);
  for (const part of parts) {
    expect([part.status, part.headers['X-Total-Chars']]).toEqual([200, String(lengthOf(text))]);
    expect(lengthOf(part.text)).toBeLessThanOrEqual(maxChars);
    expect((part.text.match(/```/g)?.length ?? 0) % 2).toBe(0);
  }
}

test.each(['markdown', 'text'])(
  'parts of a sync scrape of %s are the whole, by POST and by GET',
  async (format) => {
    const text = await whole(format);
    expectWhole(await walk((offset) => scrape({ format, max_chars: 1_500, offset })), text, 1_500);
    const query = `url=${url}&format=${format}&max_chars=1500`;
    expectWhole(
      await walk((offset) => service.ask(`${SCRAPE}?${query}&offset=${offset}`, { key })),
      text,
      1_500,
    );
  },
);

test('parts of a sync scrape each cost what the page costs, and say of which type and share they are', async () => {
  const { headers, text } = await scrape({ format: 'markdown', max_chars: 1_000 });
  expect(headers).toMatchObject({
    'Content-Type': 'text/markdown; charset=utf-8',
    'X-Credits-Used': '1',
    'X-Content-Coverage': '1',
    'X-Next-Offset': String(lengthOf(text)),
    'X-Content-Length': String(Buffer.byteLength(text)),
  });
});

test('parts of a sync scrape that begin at the end or beyond are empty', async () => {
  const total = lengthOf(await whole('text'));
  for (const offset of [total, total + 1, 100_000_000]) {
    const { status, text, headers } = await scrape({ format: 'text', offset });
    expect([status, text, headers['X-Total-Chars']]).toEqual([200, '', String(total)]);
    expect(headers).not.toHaveProperty('X-Next-Offset');
  }
});

test('parts of a sync scrape go to the end if only offset is given, and the whole has no headers of parts', async () => {
  const text = await whole('text');
  const rest = await scrape({ format: 'text', offset: 7 });
  expect(rest.text).toBe(Array.from(text).slice(7).join(''));
  expect(rest.headers).not.toHaveProperty('X-Next-Offset');
  expect((await scrape({ format: 'text' })).headers).not.toHaveProperty('X-Total-Chars');
});

test('parts of a sync scrape are in the line of activity', async () => {
  await scrape({ format: 'text', max_chars: 1_000, offset: 5 });
  const { json } = await service.ask('/api/v1/account/activity', { key });
  expect(json.data).toMatchObject([{ options: { format: 'text', max_chars: 1_000, offset: 5 } }]);
});

test.each(['markdown', 'text'])('parts of a result of %s are the whole, and free', async (format) => {
  const text = await whole(format);
  const id = await jobOf({ format });
  const { used } = (await usage()).credits;
  const parts = await walk((offset) => resultOf(id, `?max_chars=1200&offset=${offset}`));
  expectWhole(parts, text, 1_200);
  for (const { headers } of parts)
    expect(headers).toMatchObject({ 'X-Credits-Used': '0', 'X-Credits-Reason': 'free' });
  expect([(await usage()).credits.used, (await resultOf(id)).text]).toEqual([used, text]);
});

test('parts of a result are as the request of the job says, unless the query names a part', async () => {
  const text = await whole('markdown');
  const id = await jobOf({ format: 'markdown', max_chars: 1_000, offset: 4 });
  const own = await resultOf(id);
  expect(own.text).toBe((await resultOf(id, '?max_chars=1000&offset=4')).text);
  expect(own.headers['X-Next-Offset']).toBe(String(4 + lengthOf(own.text)));
  expect((await resultOf(id, '?offset=0')).text).toBe(text);
  expect((await resultOf(id, '?max_chars=1100')).text.slice(0, 9)).toBe(text.slice(0, 9));
  expect((await service.ask(`${JOBS}/${id}`, { key })).json.bytes).toBe(Buffer.byteLength(text));
});

test('parts of a result are what a submit that waits returns', async () => {
  const fields = { url, format: 'markdown', max_chars: 1_000 };
  const { send } = world.queue;
  world.queue.send = async (job) => {
    await send(job);
    await service.work();
  };
  const waited = await service.post(JOBS, key, fields, { Prefer: 'wait=20' });
  const part = await resultOf(String(waited.headers['X-Job-Id']), '?max_chars=1000');
  expect([waited.status, waited.text]).toEqual([200, part.text]);
  expect(waited.headers['X-Next-Offset']).toBe(part.headers['X-Next-Offset']);
});

test('parts of a result have tags of their own, by which they are not sent again', async () => {
  const id = await jobOf({ format: 'text' });
  const tag = async (query: string, headers = {}) =>
    (await resultOf(id, query, { headers })).headers['ETag'] ?? '';
  const gzip = { 'Accept-Encoding': 'gzip' };
  const some = ['', '?offset=0', '?offset=0&max_chars=1000', '?offset=1&max_chars=1000'];
  const tags = await Promise.all(some.flatMap((query) => [tag(query), tag(query, gzip)]));
  expect(new Set(tags).size).toBe(8);
  const [query = ''] = some.slice(2);
  const ask = (headers: object) => resultOf(id, query, { headers });
  world.results.open = () => Promise.reject(new Error('read'));
  const same = await ask({ 'If-None-Match': await tag(query, { 'If-None-Match': '*' }) });
  expect([same.status, same.text, same.headers['ETag']]).toEqual([304, '', tags[4]]);
  expect((await ask({ 'If-Match': tags[0] })).status).toBe(412);
});

test('parts of a result are compressed for callers that accept it, with their length', async () => {
  const id = await jobOf({ format: 'text' });
  const query = '?max_chars=1500';
  const plain = await resultOf(id, query);
  const gzip = await resultOf(id, query, { headers: { 'Accept-Encoding': 'gzip' } });
  expect(gzip.headers).toMatchObject({ 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' });
  expect(gzip.headers['X-Content-Length']).toBe(String(gzip.bytes.byteLength));
  expect(gunzipSync(gzip.bytes).toString()).toBe(plain.text);
});

test('parts of a result take a range of bytes of the part', async () => {
  const id = await jobOf({ format: 'text' });
  const query = '?max_chars=1500&offset=3';
  const { bytes, headers } = await resultOf(id, query);
  const accepts = { 'Accept-Encoding': 'gzip' };
  const range = { headers: { Range: 'bytes=10-19', 'If-Range': headers['ETag'], ...accepts } };
  const some = await resultOf(id, query, range);
  expect([some.status, some.bytes]).toEqual([206, bytes.subarray(10, 20)]);
  expect(some.headers).toMatchObject({
    'Content-Range': `bytes 10-19/${bytes.byteLength}`,
    'X-Total-Chars': headers['X-Total-Chars'],
  });
  const beyond = await resultOf(id, query, { headers: { Range: 'bytes=99999-' } });
  expect([beyond.status, beyond.headers['Content-Range']]).toEqual([416, `bytes */${bytes.byteLength}`]);
});

test('parts of a result have the same headers for HEAD, without a body', async () => {
  const id = await jobOf({ format: 'markdown' });
  const query = '?max_chars=1500&offset=9';
  const { headers } = await resultOf(id, query);
  const head = await resultOf(id, query, { method: 'HEAD' });
  expect([head.status, head.text]).toEqual([200, '']);
  const names = ['X-Total-Chars', 'X-Next-Offset', 'ETag', 'X-Content-Length', 'Content-Type'] as const;
  for (const name of names) expect(head.headers[name]).toBe(headers[name]);
});

test('parts of a result come from the API, even if the caller prefers the store', async () => {
  const id = await jobOf({ format: 'markdown' });
  const { status, headers } = await resultOf(id, '?max_chars=1500', {
    headers: { Prefer: 'respond-redirect', 'Accept-Encoding': 'gzip' },
  });
  expect([status, headers['Preference-Applied']]).toEqual([200, undefined]);
});

test('parts of a result of a large page take a place, since all of it is read', async () => {
  world.web[url] = page(htmlOf(200));
  const id = await jobOf({ format: 'text' });
  const until = new Date(world.now().getTime() + 60_000);
  const found = await world.organizations.find(orgId);
  if (!found) throw new Error('There is no organization.');
  for (let n = 0; n < 20; n += 1)
    await world.usage.admit(found, { credits: 0, reader: { id: `r${n}`, until } }, world.now());
  expect((await resultOf(id, '?max_chars=1000')).json.code).toBe('too_many_concurrent');
  expect((await resultOf(id, '?max_chars=1000', { method: 'HEAD' })).status).toBe(429);
});

test('parts of a result fail if the stored page is damaged', async () => {
  const id = await jobOf({ format: 'text' });
  const job = await world.jobs.find(id);
  if (job?.status !== 'completed') throw new Error('The job has no result.');
  const { open } = world.results;
  const bytes = Buffer.concat((await (await open(job.resultKey))?.toArray()) ?? []);
  bytes.writeUInt8(bytes.readUInt8(100) ^ 1, 100);
  await world.results.put(job.resultKey, bytes);
  expect((await resultOf(id, '?max_chars=1000')).status).toBe(500);
});

const isWhole = (part: string) => !['markdown', 'text', 'extract'].includes(part);

test.each([...Part.options.filter(isWhole), 'json'])(
  'parts of a result are refused if it is %s',
  async (format) => {
    const id = await jobOf({ format });
    for (const [param, query] of [
      ['max_chars', 'max_chars=1000'],
      ['offset', 'offset=0'],
    ]) {
      const { status, json } = await resultOf(id, `?${query}`);
      expect([status, json.code, json.param]).toEqual([400, 'invalid_request', param]);
      expect(json.message).toContain('only allowed for a result in Markdown or text');
      expect((await resultOf(id, `?${query}`, { method: 'HEAD' })).status).toBe(400);
    }
  },
);

test.each([
  ['max_chars=999', 'max_chars'],
  ['max_chars=5000001', 'max_chars'],
  ['max_chars=1e3', 'max_chars'],
  ['max_chars=1000.5', 'max_chars'],
  ['max_chars=', 'max_chars'],
  ['offset=-1', 'offset'],
  ['offset=x', 'offset'],
  ['offset=1&offset=2', 'offset'],
  ['offset=100000001', 'offset'],
  ['limit=3', 'limit'],
])('parts of a result are refused for %s', async (query, param) => {
  const { status, json } = await resultOf(await jobOf({ format: 'text' }), `?${query}`);
  expect([status, json.code, json.param]).toEqual([400, 'invalid_request', param]);
});

test('parts of a result of a job that has not finished, or has failed, are the answer for its state', async () => {
  const waiting = await submitJob({ url, format: 'text' });
  expect((await resultOf(waiting, '?max_chars=1000')).json.code).toBe('job_not_finished');
  world.web[url] = page('GIF', { contentType: 'image/gif' });
  await service.work();
  expect((await resultOf(waiting, '?max_chars=1000')).json.code).toBe('not_convertible');
});

const only = 'only allowed with format=markdown or format=text';

test.each([
  {},
  { format: 'html' },
  { format: 'links' },
  { format: 'metadata' },
  { format: 'extract', extract_rules: { a: 'h1' } },
  { format: 'screenshot' },
  { format: 'pdf' },
  { format: 'json' },
  { format: 'json', formats: ['markdown'] },
])('max_chars and offset are refused with %o, free of charge', async (fields) => {
  await expectRefused(service, key, { ...fields, max_chars: 1_000 }, { path: 'max_chars', problem: only });
  await expectRefused(service, key, { ...fields, offset: 0 }, { path: 'offset', problem: only });
  expect(await usage()).toMatchObject({ credits: { used: 0 } });
});

test.each([999, 5_000_001, 1_000.5, '1000', null, true, []])(
  'max_chars and offset are refused as %j',
  async (value) => {
    const problem = 'expected a whole number from 1000 to 5000000';
    const fields = { format: 'text', max_chars: value };
    await expectRefused(service, key, fields, { path: 'max_chars', problem });
  },
);

test.each([-1, 0.5, '0', 100_000_001, null])(
  'max_chars and offset are refused with the offset %j',
  async (offset) => {
    const problem = 'expected a whole number from 0 to 100000000';
    await expectRefused(service, key, { format: 'text', offset }, { path: 'offset', problem });
  },
);

test('max_chars and offset are refused for a batch, by the path of each request, because its results are whole', async () => {
  const requests = [
    { url, format: 'text' },
    { url, format: 'text', max_chars: 1_000, offset: 1 },
  ];
  const inline = await service.post(`${SCRAPE}/batches`, key, { requests });
  expect(inline.status).toBe(400);
  expect(inline.json.errors).toMatchObject(
    ['max_chars', 'offset'].map((name) => ({
      param: `requests[1].${name}`,
      message: `Unknown field 'requests[1].${name}'. Results of a batch are whole.`,
    })),
  );
  for (const more of [{ requests: [{ url }] }, { input: 'upload' }]) {
    const defaults = { format: 'text', max_chars: 1_000 };
    const { status, json } = await service.post(`${SCRAPE}/batches`, key, { defaults, ...more });
    expect([status, json.param]).toEqual([400, 'defaults.max_chars']);
  }
  const line = JSON.stringify(requests[1]);
  const { error } = readLine(line, { defaults: {}, policy: { allow: [] } });
  expect([error?.code, error?.errors.map(({ param }) => param)]).toEqual([
    'invalid_request',
    ['max_chars', 'offset'],
  ]);
});
