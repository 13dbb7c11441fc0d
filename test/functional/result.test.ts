import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readResult } from '../../shared/http/read-result.ts';
import { key, newServiceEachTest, service, world } from '../support/world/each-test.ts';
import { page } from '../support/world/pages.ts';

const URL = 'https://example.com/';
const TEXT = '<p>lorem ipsum dolor sit amet</p>'.repeat(20_000);
const NOISE = randomBytes(300_000);

newServiceEachTest();

/** Runs a job that fetches this body, and returns a function that requests its result. */
async function resultOf(body: string | Buffer) {
  world.web[URL] = page('', { body: Buffer.from(body) });
  const { json } = await service.post('/api/v1/scraper/jobs', key, { url: URL });
  await service.work();
  return (headers: Record<string, string> = {}) =>
    service.ask(`/api/v1/scraper/jobs/${String(json.job_id)}/result`, { key, headers });
}
const scrape = (body: string | Buffer, headers: Record<string, string>) => {
  world.web[URL] = page('', { body: Buffer.from(body) });
  return service.post('/api/v1/scraper', key, { url: URL }, headers);
};
const stored = () => {
  const job = world.jobs.all().at(-1);
  if (job?.status !== 'completed') throw new Error('The job has no result.');
  return job;
};

test('a result that compresses well is stored as gzip, and sent as gzip to callers that accept it', async () => {
  const ask = await resultOf(TEXT);
  const gzip = await ask({ 'Accept-Encoding': 'gzip, deflate, br' });
  expect(gzip.headers).toMatchObject({
    'Content-Encoding': 'gzip',
    'X-Content-Length': String(gzip.bytes.byteLength),
    Vary: 'Accept-Encoding',
  });
  expect(gzip.bytes.byteLength).toBeLessThan(TEXT.length / 10);
  expect(gunzipSync(gzip.bytes).toString() === TEXT).toBe(true);

  const plain = await ask();
  expect(plain.headers).toMatchObject({ 'X-Content-Length': String(TEXT.length), Vary: 'Accept-Encoding' });
  expect(plain.headers).not.toHaveProperty('Content-Encoding');
  expect(plain.text === TEXT).toBe(true);
  expect(plain.headers['ETag']).not.toBe(gzip.headers['ETag']);
});

test.each(['br', 'gzip;q=0', 'identity', 'gzip;q=0.5, identity', ''])(
  'a result is sent uncompressed to callers that accept "%s"',
  async (accepted) => {
    const answer = await (await resultOf(TEXT))({ 'Accept-Encoding': accepted });
    expect(answer.headers).not.toHaveProperty('Content-Encoding');
    expect(answer.text === TEXT).toBe(true);
  },
);

test.each([
  ['noise', NOISE],
  ['empty', Buffer.alloc(0)],
  ['short', Buffer.from('<p>little</p>')],
])('a result that is %s is not compressed', async (_, body) => {
  const answer = await (await resultOf(body))({ 'Accept-Encoding': 'gzip' });
  expect(answer.headers).not.toHaveProperty('Content-Encoding');
  expect(answer.headers['X-Content-Length']).toBe(String(body.byteLength));
  expect(answer.bytes.equals(body)).toBe(true);
});

test('a result that is corrupted in the store fails the response', async () => {
  for (const body of [TEXT, NOISE]) {
    const ask = await resultOf(body);
    const { resultKey, gzip } = stored();
    const bytes = Buffer.concat((await (await world.results.open(resultKey))?.toArray()) ?? []);
    expect(bytes.byteLength).toBe(gzip?.bytes ?? body.length);
    bytes[500] = (bytes[500] ?? 0) ^ 1;
    await world.results.put(resultKey, bytes);
    for (const headers of [{ 'Accept-Encoding': 'gzip' }, {}, { Range: 'bytes=0-9' }]) {
      expect((await ask(headers)).status).toBe(500);
    }
  }
});

test.each([true, false])(
  'a result found to be corrupted while it is sent is cut off (gzip: %s)',
  async (isGzip) => {
    const stored = gzipSync(NOISE);
    const job = { sha256: 'of the page', gzip: { sha256: 'of other bytes', bytes: stored.length } };
    const pieces = [0, 1, 2, 3].map((i) => stored.subarray(i * 100_000, (i + 1) * 100_000));
    let sent = 0;
    const reading = (async () => {
      const wanted = { isGzip, range: undefined };
      const result: AsyncIterable<Uint8Array> = readResult(Readable.from(pieces), job, wanted);
      for await (const chunk of result) sent += chunk.byteLength;
    })();
    await expect(reading).rejects.toThrow('does not match its checksum');
    expect(sent).toBeGreaterThan(0);
    expect(sent).toBeLessThan(isGzip ? stored.length : NOISE.length);
  },
);

test('a result that is missing in the store is 404', async () => {
  const ask = await resultOf(TEXT);
  world.results.open = () => Promise.resolve(undefined);
  expect((await ask()).status).toBe(404);
});

test('a page states its length in X-Content-Length unless it is compressed on the way', async () => {
  const plain = await scrape(TEXT, {});
  expect(plain.headers['X-Content-Length']).toBe(String(Buffer.byteLength(TEXT)));
  const gzip = await scrape(TEXT, { 'Accept-Encoding': 'gzip' });
  expect(gzip.headers['Content-Encoding']).toBe('gzip');
  expect(gzip.headers).not.toHaveProperty('X-Content-Length');
  expect((await scrape('é', {})).headers['X-Content-Length']).toBe('2');
});

test.each([
  ['bytes=0-0', 0, 0],
  ['bytes=100-65999', 100, 65_999],
  ['bytes=599990-', 599_990, TEXT.length - 1],
  ['bytes=-7', TEXT.length - 7, TEXT.length - 1],
  ['bytes=-999999999', 0, TEXT.length - 1],
  ['bytes=5-999999999', 5, TEXT.length - 1],
  ['bytes=0-9, 5-19', 0, 19],
])('a range of a result: %s is 206', async (Range, start, end) => {
  const answer = await (await resultOf(TEXT))({ Range, 'Accept-Encoding': 'gzip' });
  expect(answer.status).toBe(206);
  expect(answer.headers).toMatchObject({
    'Content-Range': `bytes ${start}-${end}/${TEXT.length}`,
    'X-Content-Length': String(end - start + 1),
    'Content-Type': 'text/html',
    'Accept-Ranges': 'bytes',
  });
  expect(answer.headers).not.toHaveProperty('Content-Encoding');
  expect(answer.text === TEXT.slice(start, end + 1)).toBe(true);
});

test.each(['bytes=0-1,5-9', 'lines=1-2', 'bytes', 'bytes=x-y', 'bytes=5-2', 'bytes=0-9,5-2'])(
  'a range of a result: "%s" is ignored, and the whole result is sent',
  async (Range) => {
    const answer = await (await resultOf(TEXT))({ Range });
    expect([answer.status, answer.text === TEXT]).toEqual([200, true]);
  },
);

test('a range of a result that begins beyond its end is 416', async () => {
  const ask = await resultOf(NOISE);
  const answer = await ask({ Range: 'bytes=300000-' });
  expect(answer.status).toBe(416);
  expect(answer.json).toMatchObject({ error: 'Range Not Satisfiable', code: 'range_not_satisfiable' });
  expect(answer.headers).toMatchObject({ 'Content-Range': 'bytes */300000' });
});

test('a range of a result is sent only if If-Range matches the version', async () => {
  const ask = await resultOf(NOISE);
  const { ETag = '', 'Last-Modified': date = '' } = (await ask()).headers;
  const statusOf = async (condition: string) =>
    (await ask({ Range: 'bytes=0-9', 'If-Range': condition })).status;
  expect([await statusOf(ETag), await statusOf(date)]).toEqual([206, 206]);
  expect([
    await statusOf(`W/${ETag}`),
    await statusOf('"other"'),
    await statusOf('Sat, 21 Nov 2026 11:00:00 GMT'),
  ]).toEqual([200, 200, 200]);
});

describe('the headers of a result', () => {
  const ask = async (body: string | Buffer, headers: Record<string, string>) => {
    const get = await resultOf(body);
    const path = `/api/v1/scraper/jobs/${stored().id}/result`;
    const expected = (await get(headers)).headers;
    return { answer: await service.ask(path, { key, headers, method: 'HEAD' }), expected };
  };

  test.each([
    ['the whole result', {}, 200],
    ['gzip', { 'Accept-Encoding': 'gzip' }, 200],
    ['a range', { Range: 'bytes=0-9' }, 206],
    ['a range beyond its end', { Range: 'bytes=999999-' }, 416],
    ['an unchanged result', { 'If-None-Match': '*' }, 304],
    ['an outdated version', { 'If-Match': '"other"' }, 412],
  ])('are the same for HEAD and GET: %s', async (_, headers, status) => {
    const { answer, expected } = await ask(TEXT, headers);
    expect([answer.status, answer.text]).toEqual([status, '']);
    const text = expect.any(String) as string;
    const changes = { 'X-Request-Id': text, 'X-RateLimit-Reset': text, RateLimit: text };
    expect(answer.headers).toEqual({ ...expected, ...changes, 'X-RateLimit-Remaining': '598' });
  });

  test('are sent without reading the store', async () => {
    await resultOf(TEXT);
    world.results.open = () => Promise.reject(new Error('read'));
    const path = `/api/v1/scraper/jobs/${stored().id}/result`;
    expect((await service.ask(path, { key, method: 'HEAD' })).status).toBe(200);
  });

  test('allow GET and HEAD only', async () => {
    await resultOf(TEXT);
    const path = `/api/v1/scraper/jobs/${stored().id}/result`;
    const answer = await service.ask(path, { key, method: 'POST' });
    expect([answer.status, answer.headers.Allow]).toEqual([405, 'GET, HEAD']);
  });
});

describe('a redirect to the store', () => {
  const Prefer = 'respond-redirect';
  const gzip = { 'Accept-Encoding': 'gzip' };

  test.each([
    ['gzip to callers that accept it', TEXT, gzip, 'gzip'],
    ['the bytes if stored uncompressed', NOISE, {}, ''],
    ['a range from the store', NOISE, { Range: 'bytes=0-9' }, ''],
  ])('gives %s', async (_, body, headers, contentEncoding) => {
    const answer = await (await resultOf(body))({ ...headers, Prefer: `wait=5, ${Prefer}` });
    expect([answer.status, answer.text]).toEqual([303, '']);
    expect(answer.headers).toMatchObject({
      'Preference-Applied': Prefer,
      'X-Target-Status': '200',
      'X-Target-Url': URL,
      'X-Target-Redirects': '0',
      'Cache-Control': 'no-store',
    });
    const { searchParams } = new globalThis.URL(answer.headers.Location ?? '');
    expect(Object.fromEntries(searchParams)).toEqual({ contentType: 'text/html', contentEncoding });
    for (const name of ['Content-Type', 'Content-Length', 'Content-Encoding', 'ETag', 'Accept-Ranges'])
      expect(answer.headers).not.toHaveProperty(name);
  });

  test.each([
    ['does not accept gzip', {}, 200],
    ['requests a range of a result stored as gzip', { ...gzip, Range: 'bytes=0-9' }, 206],
    ['already has the result', { ...gzip, 'If-None-Match': '*' }, 304],
  ])('is not sent to a caller that %s', async (_, headers, status) => {
    const answer = await (await resultOf(TEXT))({ ...headers, Prefer });
    expect(answer.status).toBe(status);
    expect(answer.headers).not.toHaveProperty('Preference-Applied');
  });
});

test.each(['gzip', 'identity'])(
  'a conditional request for %s with the current ETag is 304',
  async (accepted) => {
    const ask = await resultOf(TEXT);
    const accept = { 'Accept-Encoding': accepted };
    const { ETag = '' } = (await ask(accept)).headers;
    for (const tags of [ETag, `W/${ETag}`, `"other", ${ETag}`, '*']) {
      const answer = await ask({ ...accept, 'If-None-Match': tags });
      expect([answer.status, answer.text]).toEqual([304, '']);
      expect(answer.headers).toMatchObject({ Vary: 'Accept-Encoding', 'Cache-Control': 'no-store' });
    }
    expect((await ask({ ...accept, 'If-None-Match': '"other"' })).status).toBe(200);
  },
);

test('a conditional request with the current ETag is 304 before its range is checked', async () => {
  const ask = await resultOf(TEXT);
  const { ETag = '' } = (await ask()).headers;
  expect((await ask({ 'If-None-Match': ETag, Range: 'bytes=900000-' })).status).toBe(304);
});

test('a conditional request with the ETag of another encoding is 200', async () => {
  const ask = await resultOf(TEXT);
  const { ETag = '' } = (await ask({ 'Accept-Encoding': 'gzip' })).headers;
  expect((await ask({ 'If-None-Match': ETag })).status).toBe(200);
});

test('a conditional request with the current date is 304, unless it has an ETag', async () => {
  const ask = await resultOf(TEXT);
  const { 'Last-Modified': date = '' } = (await ask()).headers;
  expect(date).toBe('Sat, 21 Nov 2026 12:00:00 GMT');
  const statusOf = async (headers: Record<string, string>) => (await ask(headers)).status;
  expect(await statusOf({ 'If-Modified-Since': date })).toBe(304);
  expect(await statusOf({ 'If-Modified-Since': 'Sat, 21 Nov 2026 11:59:59 GMT' })).toBe(200);
  expect(await statusOf({ 'If-Modified-Since': 'yesterday' })).toBe(200);
  expect(await statusOf({ 'If-Modified-Since': date, 'If-None-Match': '"other"' })).toBe(200);
});

test('a precondition for another version is 412', async () => {
  const ask = await resultOf(TEXT);
  const { ETag = '', 'Last-Modified': date = '' } = (await ask()).headers;
  const statusOf = async (headers: Record<string, string>) => (await ask(headers)).status;
  expect(await statusOf({ 'If-Match': `"other", ${ETag}` })).toBe(200);
  expect(await statusOf({ 'If-Match': '*', 'If-None-Match': ETag })).toBe(304);
  expect(await statusOf({ 'If-Match': `W/${ETag}` })).toBe(412);
  expect(await statusOf({ 'If-Unmodified-Since': date })).toBe(200);
  expect(await statusOf({ 'If-Unmodified-Since': 'Sat, 21 Nov 2026 11:59:59 GMT' })).toBe(412);
  const other = await ask({ 'If-Match': '"other"', Range: 'bytes=0-9' });
  expect(other.json).toMatchObject({ error: 'Precondition Failed', code: 'precondition_failed' });
});

test.each(['gzip', 'gzip, deflate, br, zstd', '*', 'br;q=1, gzip;q=0.5'])(
  'a sync response for a caller that accepts "%s" is compressed with gzip',
  async (accepted) => {
    const answer = await scrape(TEXT, { 'Accept-Encoding': accepted });
    expect(answer.headers).toMatchObject({ 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' });
    expect(answer.bytes.byteLength).toBeLessThan(TEXT.length / 10);
    expect(gunzipSync(answer.bytes).toString() === TEXT).toBe(true);
  },
);

test.each(['', 'br', 'identity', 'gzip;q=0'])(
  'a sync response for a caller that accepts "%s" is not compressed',
  async (accepted) => {
    const answer = await scrape(TEXT, { 'Accept-Encoding': accepted });
    expect(answer.headers).not.toHaveProperty('Content-Encoding');
    expect(answer.headers['Vary']).toBe('Accept-Encoding');
    expect(answer.text === TEXT).toBe(true);
  },
);

test.each([
  ['noise', NOISE],
  ['short', Buffer.from('<p>little</p>')],
])('a sync response that is %s is not compressed', async (_, body) => {
  const answer = await scrape(body, { 'Accept-Encoding': 'gzip' });
  expect(answer.headers).not.toHaveProperty('Content-Encoding');
  expect(answer.bytes.equals(body)).toBe(true);
});
