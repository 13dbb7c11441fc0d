import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { Crawl } from '../../shared/contract/crawls/crawl.ts';
import { chunkIdOf } from '../../shared/domain/batches/chunk-id.ts';
import { partKey } from '../../shared/domain/batches/part-key.ts';
import type { ErrorCode } from '../../shared/errors.ts';
import { makeWave } from '../../shared/use-cases/crawls/make-wave.ts';
import { key, newServiceEachTest, service, world } from '../support/world/each-test.ts';
import { randomOf } from '../support/world/random.ts';

const CRAWLS = '/api/v1/crawls';

newServiceEachTest({ overrides: { readsPerMinute: 100_000, credits: 100_000 } });

type Wave = { lines: number; dropped?: number[]; rest?: { after: number; code: ErrorCode } };
type Result = Record<string, unknown> & { line: number; cursor: string };

const urlOf = (line: number) => `https://example.com/${line}`;
const found = (line: number) => ({ depth: line % 3, ...(line > 1 && { found_on: urlOf(1) }) });
const headOf = (line: number, padding = '') => ({
  ...{ line, url: urlOf(line), status: 'completed', credits_used: 1, padding, crawl: found(line) },
});

/**
 * A crawl whose merged waves have these results, each chunk in one or two parts. Lines from `rest` on were
 * not run.
 */
async function crawlWith(waves: readonly Wave[], rest: Partial<Crawl> = {}, padding = '') {
  const { json } = await service.post(CRAWLS, key, { url: urlOf(1) });
  const crawl = (await world.crawls.find(String(json['crawl_id']))) as Crawl;
  const merged = [];
  let firstLine = 1;
  for (const wave of waves) {
    const batchId = await ranWave(crawl, { ...wave, firstLine }, padding);
    const { dropped } = wave;
    merged.push({ batch_id: batchId, first_line: firstLine, lines: wave.lines, dropped });
    firstLine += wave.lines;
  }
  const manifest = `results/${crawl.orgId}/${crawl.id}/manifest-1.json.gz`;
  await world.results.put(manifest, gzipSync(JSON.stringify({ ledger: [], hosts: [], waves: merged })));
  await world.crawls.replace(crawl, { ...crawl, manifest, revision: crawl.revision + 1, ...rest });
  world.queue.take();
  return crawl.id;
}

async function ranWave(crawl: Crawl, { lines, firstLine, rest }: Wave & { firstLine: number }, padding = '') {
  const batchId = world.newId();
  const fileKey = `results/${crawl.orgId}/${crawl.id}/wave-${firstLine}.ndjson`;
  const numbers = Array.from({ length: lines }, (_, n) => firstLine + n);
  const texts = numbers.map((line) => {
    const about = { place: line, via: 'link', ...found(line) };
    return `${JSON.stringify({ url: urlOf(line), crawl: about })}\n`;
  });
  await world.uploads.write(fileKey, Readable.from(texts));
  await makeWave(world, crawl, { batchId, firstLine, lines, key: fileKey });
  const { upload } = (await world.batches.find(batchId)) ?? {};
  for (let index = 0; index < (upload?.chunks ?? 0); index++) {
    const chunk = await world.chunks.find(chunkIdOf(batchId, index));
    if (!chunk) throw new Error('There is no such chunk.');
    const all = numbers.slice(chunk.firstLine - firstLine, chunk.firstLine - firstLine + chunk.lines);
    const ran = rest ? all.filter((line) => line < rest.after) : all;
    const half = Math.ceil(ran.length / 2);
    const portions = [ran.slice(0, half), ran.slice(half)].filter((each) => each.length > 0);
    for (const [token, portion] of portions.entries()) {
      const heads = portion.map((line) => `${JSON.stringify(headOf(line, padding))}\n`).join('');
      const pages = portion.map(
        (line) => `${JSON.stringify({ ...headOf(line, padding), body: `page ${line}` })}\n`,
      );
      await world.results.put(partKey(chunk, token + 1, 'heads'), gzipSync(heads));
      await world.results.put(partKey(chunk, token + 1, 'pages'), gzipSync(pages.join('')));
    }
    const parts = portions.map((each, n) => ({ token: n + 1, lines: each.length, bytes: 1_000 }));
    const next = { line: chunk.firstLine + ran.length, at: offsetOf(chunk.at, ran.length) };
    const isCut = ran.length < all.length;
    const ended = { ...chunk, status: 'closed' as const, parts, next, completed: ran.length, version: 9 };
    const closed = isCut && rest ? { ...ended, rest: rest.code, failed: all.length - ran.length } : ended;
    await world.chunks.replace(chunk, closed);
    await world.chunks.count(closed, upload?.chunks ?? 0);
  }
  await world.batches.complete(batchId, world.now());
  return batchId;

  function offsetOf(at: number, count: number) {
    const bytes = texts.map((text) => Buffer.byteLength(text));
    const starts = bytes.reduce<number[]>((all, size) => [...all, (all.at(-1) ?? 0) + size], [0]);
    return starts[starts.indexOf(at) + count] ?? at;
  }
}

async function pageOf(path: string) {
  const { status, headers, text } = await service.ask(path, { key });
  expect([status, headers['Content-Type']]).toEqual([200, 'application/x-ndjson; charset=utf-8']);
  const lines = text.split('\n').filter(Boolean);
  const [, next] = /^<([^>]+)>; rel="next"$/.exec(headers['Link'] ?? '') ?? [];
  return { lines: lines.map((line) => JSON.parse(line) as Result), next };
}

async function allOf(path: string) {
  const all: Result[] = [];
  for (let next: string | undefined = path; next !== undefined;) {
    const page = await pageOf(next);
    all.push(...page.lines);
    ({ next } = page);
  }
  return all;
}

const numbersOf = (results: readonly Result[]) => results.map(({ line }) => line).sort((a, b) => a - b);
const ended = () => ({ completedAt: world.now(), status: 'completed' as const });

test('a result is the line of its wave, with the crawl in place of the batch', async () => {
  const id = await crawlWith([{ lines: 2 }], ended());
  const { lines, next } = await pageOf(`${CRAWLS}/${id}/results`);
  expect(next).toBeUndefined();
  expect(lines[1]).toEqual({ ...headOf(2), crawl_id: id, cursor: lines[1]?.cursor });
  expect(lines[0]?.['crawl']).toEqual({ depth: 1 });
  const whole = await pageOf(`${CRAWLS}/${id}/results?include=body`);
  expect(whole.lines.map(({ body }) => body)).toEqual(['page 1', 'page 2']);
});

test('each result is there once, wherever reading was cut off, without duplicates of pages', async () => {
  const random = randomOf(105);
  for (let round = 0; round < 6; round++) {
    const waves: Wave[] = Array.from({ length: 1 + random.int(5) }, () => ({ lines: 1 + random.int(120) }));
    let first = 1;
    for (const wave of waves) {
      const all = Array.from({ length: wave.lines }, (_, n) => first + n);
      wave.dropped = random.chance(0.2) ? all : random.some(all, 0.2);
      first += wave.lines;
    }
    const dropped = waves.flatMap((wave) => wave.dropped ?? []);
    const wanted = Array.from({ length: first - 1 }, (_, n) => n + 1).filter((n) => !dropped.includes(n));
    const id = await crawlWith(waves, ended(), 'x'.repeat(random.int(3_000)));
    const path = `${CRAWLS}/${id}/results`;
    expect(numbersOf(await allOf(path))).toEqual(wanted);
    const include = random.chance(0.5) ? '&include=body' : '';
    const read: Result[] = [];
    for (let next = `${path}?${include}`; ;) {
      const page = await pageOf(next);
      const taken = page.lines.slice(0, 1 + random.int(page.lines.length || 1));
      read.push(...taken);
      const last = taken.at(-1);
      if (last === undefined && page.next === undefined) break;
      next = last ? `${path}?cursor=${encodeURIComponent(last.cursor)}${include}` : String(page.next);
    }
    expect(numbersOf(read)).toEqual(wanted);
  }
});

test('a running crawl has a next page, which has the results of the next merged wave', async () => {
  const id = await crawlWith([{ lines: 3 }]);
  const first = await pageOf(`${CRAWLS}/${id}/results`);
  expect(numbersOf(first.lines)).toEqual([1, 2, 3]);
  const empty = await pageOf(String(first.next));
  expect([empty.lines, empty.next]).toEqual([[], first.next]);
  const crawl = (await world.crawls.find(id)) as Crawl;
  const more = await ranWave(crawl, { lines: 2, firstLine: 4 });
  const stored = await pageOf(`${CRAWLS}/${id}/results`);
  expect(numbersOf(stored.lines)).toEqual([1, 2, 3]);
  const manifest = `${String(crawl.manifest)}-2`;
  const waves = [
    { batch_id: await ranWave(crawl, { lines: 3, firstLine: 1 }), first_line: 1, lines: 3 },
    { batch_id: more, first_line: 4, lines: 2 },
  ];
  await world.results.put(manifest, gzipSync(JSON.stringify({ ledger: [], hosts: [], waves })));
  await world.crawls.replace(crawl, { ...crawl, manifest, revision: crawl.revision + 1, ...ended() });
  const last = await pageOf(String(first.next));
  expect([numbersOf(last.lines), last.next]).toEqual([[4, 5], undefined]);
});

test('lines that were not run are results only if their host was given up', async () => {
  const cancelled = await crawlWith([{ lines: 5, rest: { after: 3, code: 'cancelled' } }], ended());
  expect(numbersOf(await allOf(`${CRAWLS}/${cancelled}/results`))).toEqual([1, 2]);
  const busy = await crawlWith([{ lines: 5, rest: { after: 3, code: 'host_unavailable' } }], ended());
  const all = await allOf(`${CRAWLS}/${busy}/results`);
  expect(numbersOf(all)).toEqual([1, 2, 3, 4, 5]);
  expect(all.find(({ line }) => line === 4)).toMatchObject({
    ...{ url: urlOf(4), status: 'failed', error_code: 'host_unavailable', credits_used: 0 },
    ...{ credits_reason: 'no_page', crawl: found(4), crawl_id: busy },
  });
});

test('the stored portions are listed with the lines in them that are no results', async () => {
  const waves = [{ lines: 60, dropped: [1, 14, 40] }, { lines: 1, dropped: [61] }, { lines: 30 }];
  const id = await crawlWith(waves, ended());
  const portions: { url: string; lines: number; dropped?: number[] }[] = [];
  for (let query = ''; ;) {
    const path = `${CRAWLS}/${id}/results${query}`;
    const { json, headers } = await service.ask(path, { key, headers: { Accept: 'application/json' } });
    portions.push(...(json['data'] as typeof portions));
    const { next_cursor: cursor } = json as { next_cursor?: string };
    if (cursor === undefined) break;
    expect(headers['Link']).toContain(encodeURIComponent(cursor));
    query = `?cursor=${encodeURIComponent(cursor)}`;
  }
  expect(portions.reduce((sum, { lines }) => sum + lines, 0)).toBe(91);
  expect(new Set(portions.map(({ url }) => url)).size).toBe(portions.length);
  const dropped = new Set(portions.flatMap((each) => each.dropped ?? []));
  expect([...dropped].sort((a, b) => a - b)).toEqual([1, 14, 40, 61]);
});

test('a cursor of another crawl, and parameters that do not exist, are refused', async () => {
  const id = await crawlWith([{ lines: 2 }], ended());
  for (const [param, query] of [
    ['cursor', 'cursor=x'],
    ['cursor', 'cursor=2.'],
    ['cursor', 'cursor=1.-'],
    ['cursor', 'cursor=0.!'],
    ['include', 'include=head'],
    ['limit', 'limit=1'],
  ]) {
    const { status, json } = await service.ask(`${CRAWLS}/${id}/results?${query}`, { key });
    expect([query, status, json['param']]).toEqual([query, 400, param]);
  }
});

test('a wave is no batch of the organization', async () => {
  const { json } = await service.post(CRAWLS, key, { url: urlOf(1) });
  const crawl = (await world.crawls.find(String(json['crawl_id']))) as Crawl;
  const batchId = await ranWave(crawl, { lines: 2, firstLine: 1 });
  for (const path of ['', '/results'])
    expect((await service.ask(`/api/v1/scraper/batches/${batchId}${path}`, { key })).status).toBe(404);
  expect((await service.post(`/api/v1/scraper/batches/${batchId}/cancel`, key, undefined)).status).toBe(404);
  expect((await service.ask('/api/v1/scraper/batches', { key })).json).toEqual({ data: [] });
});

test('counts divide a wave between pending and running, and count its cost', async () => {
  const { json } = await service.post(CRAWLS, key, { url: urlOf(1) });
  const crawl = (await world.crawls.find(String(json['crawl_id']))) as Crawl;
  const batchId = await ranWave(crawl, { lines: 30, firstLine: 1 });
  const wave = { batchId, firstLine: 1, lines: 30 };
  const state = { wave, queued: 12, outcomes: { page: 7, robots: 2 }, credits: 7, asked: 8 };
  await world.crawls.replace(crawl, { ...crawl, ...state, revision: crawl.revision + 1 });
  const { json: shown } = await service.ask(`${CRAWLS}/${crawl.id}`, { key });
  const counts = shown['counts'] as Record<string, number>;
  expect(counts).toMatchObject({ discovered: 51, pending: 12, running: 30, page: 7, robots: 2, trap: 0 });
  const { discovered, ...others } = counts;
  expect(Object.values(others).reduce((sum, each) => sum + each, 0)).toBe(discovered);
});

test.each(['', '?include=body'])('results of several short waves are one response%s', async (query) => {
  const id = await crawlWith([{ lines: 1 }, { lines: 30 }, { lines: 2, dropped: [33] }], ended());
  const { lines, next } = await pageOf(`${CRAWLS}/${id}/results${query}`);
  expect(numbersOf(lines)).toEqual(Array.from({ length: 32 }, (_, n) => n + 1));
  expect(next).toBeUndefined();
});
