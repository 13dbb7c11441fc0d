import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { ShownManifest } from '../../shared/use-cases/crawls/read-manifest.ts';
import { type Crawl, type LedgerLine, Outcome } from '../../shared/contract/crawls/crawl.ts';
import { key, newServiceEachTest, service, world } from '../support/world/each-test.ts';
import { randomOf } from '../support/world/random.ts';

const CRAWLS = '/api/v1/crawls';

newServiceEachTest({ overrides: { readsPerMinute: 100_000 } });

/** A crawl with this ledger in parts of such sizes, as merges leave it. */
async function crawlWith(lines: readonly LedgerLine[], sizes: readonly number[], rest: Partial<Crawl> = {}) {
  const { json } = await service.post(CRAWLS, key, { url: 'https://example.com/' });
  const crawl = (await world.crawls.find(String(json['crawl_id']))) as Crawl;
  const ledger: ShownManifest['ledger'] = [];
  let from = 0;
  for (const [n, size] of sizes.entries()) {
    const part = lines.slice(from, from + size);
    const stored = `results/${crawl.orgId}/${crawl.id}/ledger-${n}.ndjson.gz`;
    await world.results.put(stored, gzipSync(part.map((line) => `${JSON.stringify(line)}\n`).join('')));
    ledger.push({ key: stored, lines: part.length, outcomes: countOf(part) });
    from += size;
  }
  const manifest = `results/${crawl.orgId}/${crawl.id}/manifest-${crawl.revision}.json.gz`;
  const nothing = { version: 1, queue: [], waves: [], hosts: [], files: {}, unread: [] };
  await world.results.put(manifest, gzipSync(JSON.stringify({ ...nothing, ledger })));
  const after = { ...crawl, manifest, outcomes: countOf(lines), revision: crawl.revision + 1, ...rest };
  await world.crawls.replace(crawl, after);
  return crawl.id;
}

function countOf(lines: readonly LedgerLine[]) {
  const counts: Partial<Record<Outcome, number>> = {};
  for (const { outcome } of lines) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

const line = (n: number, outcome: Outcome): LedgerLine => ({
  ...{ url: `https://example.com/${n}/${'x'.repeat(n % 7)}ü`, outcome, depth: n % 4, via: 'link' },
  ...{ found_on: 'https://example.com/', ...(outcome === 'failed' && { error_code: 'dns_failed' }) },
});

type Page = { lines: LedgerLine[]; next: string | undefined; bytes: number };

async function pageOf(path: string): Promise<Page> {
  const { status, headers, text, bytes } = await service.ask(path, { key });
  expect([status, headers['Content-Type']]).toEqual([200, 'application/x-ndjson; charset=utf-8']);
  const lines = text.split('\n').filter(Boolean);
  const [, next] = /^<([^>]+)>; rel="next"$/.exec(headers['Link'] ?? '') ?? [];
  return { lines: lines.map((each) => JSON.parse(each) as LedgerLine), next, bytes: bytes.byteLength };
}

async function allOf(path: string) {
  const pages: Page[] = [];
  for (let next: string | undefined = path; next !== undefined; next = pages.at(-1)?.next)
    pages.push(await pageOf(next));
  return pages;
}

test('every URL is on exactly one page, however parts are cut, with and without a filter', async () => {
  const random = randomOf(4_711);
  for (let round = 0; round < 8; round++) {
    const count = random.int(6_000);
    const few = Outcome.options.slice(0, 1 + random.int(Outcome.options.length));
    const lines = Array.from({ length: count }, (_, n) => line(n, random.of(few)));
    const sizes: number[] = [];
    for (let left = count; left > 0; left -= sizes.at(-1) ?? 0) sizes.push(1 + random.int(left));
    const id = await crawlWith(lines, sizes, { completedAt: world.now() });
    const pages = await allOf(`${CRAWLS}/${id}/urls`);
    expect(pages.flatMap((page) => page.lines)).toEqual(lines);
    for (const { bytes } of pages) expect(bytes).toBeLessThanOrEqual(256 * 1_024);
    const outcome = Outcome.options[round] ?? 'page';
    const chosen = await allOf(`${CRAWLS}/${id}/urls?outcome=${outcome}`);
    expect(chosen.flatMap((page) => page.lines)).toEqual(lines.filter((each) => each.outcome === outcome));
  }
});

test('a running crawl has a next page even at its end, which has what a later merge adds', async () => {
  const lines = Array.from({ length: 10 }, (_, n) => line(n, 'page'));
  const id = await crawlWith(lines.slice(0, 6), [6]);
  const [first] = [await pageOf(`${CRAWLS}/${id}/urls`)];
  expect(first.lines).toEqual(lines.slice(0, 6));
  const empty = await pageOf(String(first.next));
  expect([empty.lines, empty.next]).toEqual([[], first.next]);
  const crawl = (await world.crawls.find(id)) as Crawl;
  const more = `${String(crawl.manifest)}-2`;
  const stored = `results/${crawl.orgId}/${crawl.id}/ledger-more.ndjson.gz`;
  await world.results.put(
    stored,
    gzipSync(
      lines
        .slice(6)
        .map((each) => JSON.stringify(each))
        .join('\n'),
    ),
  );
  const before = `results/${crawl.orgId}/${crawl.id}/ledger-0.ndjson.gz`;
  const ledger = [
    { key: before, lines: 6, outcomes: { page: 6 } },
    { key: stored, lines: 4, outcomes: { page: 4 } },
  ];
  const nothing = { version: 2, queue: [], waves: [], hosts: [], files: {}, unread: [] };
  await world.results.put(more, gzipSync(JSON.stringify({ ...nothing, ledger })));
  const ended = { ...crawl, manifest: more, completedAt: world.now(), revision: crawl.revision + 1 };
  await world.crawls.replace(crawl, ended);
  const last = await pageOf(String(first.next));
  expect([last.lines, last.next]).toEqual([lines.slice(6), undefined]);
});

test('before the first merge there are no lines, and a next page', async () => {
  const { json } = await service.post(CRAWLS, key, { url: 'https://example.com/' });
  const { lines, next } = await pageOf(`${CRAWLS}/${String(json['crawl_id'])}/urls`);
  expect([lines, next === undefined]).toEqual([[], false]);
});

test('a cursor of another crawl, an outcome and a parameter that do not exist are refused', async () => {
  const id = await crawlWith([line(1, 'page')], [1]);
  const long = Array.from({ length: 50 }, (_, n) => line(n, 'page'));
  const other = await pageOf(`${CRAWLS}/${await crawlWith(long, [50])}/urls`);
  const [, cursor = ''] = /cursor=([^&]+)/.exec(String(other.next)) ?? [];
  for (const [param, query] of [
    ['cursor', `cursor=${cursor}`],
    ['cursor', 'cursor=x'],
    ['cursor', `cursor=${Buffer.from('-1').toString('base64url')}`],
    ['outcome', 'outcome=done'],
    ['limit', 'limit=5'],
  ]) {
    const { status, json } = await service.ask(`${CRAWLS}/${id}/urls?${query}`, { key });
    expect([status, json['param']]).toEqual([400, param]);
  }
});

test('hosts are shown as the last merge knew them, without what only merges need', async () => {
  const id = await crawlWith([], []);
  const crawl = (await world.crawls.find(id)) as Crawl;
  const manifest = `${String(crawl.manifest)}-hosts`;
  const host = {
    ...{ host: 'example.com', robots: 'found', robots_status: 200, crawl_delay: 60 },
    ...{ crawl_delay_capped: true, content_usage: 'train-ai=n' },
    sitemaps: [{ url: 'https://example.com/sitemap.xml', status: 200, urls: 3 }],
  };
  const nothing = { version: 2, ledger: [], queue: [], waves: [], files: {}, unread: [] };
  await world.results.put(
    manifest,
    gzipSync(JSON.stringify({ ...nothing, hosts: [{ ...host, rules: '…', is_listed: true }] })),
  );
  await world.crawls.replace(crawl, { ...crawl, manifest, revision: crawl.revision + 1 });
  const { json } = await service.ask(`${CRAWLS}/${id}`, { key });
  expect(json['hosts']).toEqual([host]);
});

const wall = { ...line(1, 'failed'), error_code: undefined, verdict: 'bot_wall' } as const;
const busy = { ...line(2, 'failed'), error_code: undefined, target_status: 503 };

test.each<[string, LedgerLine[], { include?: string[] } | undefined, number]>([
  ['an error', [line(1, 'failed')], undefined, 202],
  ['what a cancel left', [line(1, 'page'), line(2, 'cancelled')], undefined, 202],
  ['what the deadline left', [line(1, 'deadline')], { include: ['failed'] }, 202],
  ['what the credits left', [line(1, 'budget')], {}, 202],
  ['a wall, if it is not wanted', [wall], undefined, 409],
  ['a wall', [busy, wall], { include: ['wall'] }, 202],
  ['a status, if it is not wanted', [busy], { include: ['failed', 'wall'] }, 409],
  ['a status', [busy], { include: ['target_status'] }, 202],
  ['pages and duplicates', [line(1, 'page'), line(2, 'duplicate'), line(3, 'limit')], undefined, 409],
])('a retry of %s', async (_what, lines, body, status) => {
  const id = await crawlWith([line(0, 'page'), ...lines], [1, lines.length], { completedAt: world.now() });
  const answer = await service.post(`${CRAWLS}/${id}/retry_failed`, key, body);
  expect([answer.status, answer.json['code']]).toEqual([
    status,
    status === 409 ? 'nothing_to_retry' : undefined,
  ]);
  if (status !== 202) return;
  const { crawl_id: again, retry_of: of } = answer.json as { crawl_id: string; retry_of: string };
  const [before, after] = [await world.crawls.find(id), await world.crawls.find(again)];
  expect([of, after?.retryOf, after?.request]).toEqual([id, id, before?.request]);
  expect(after?.retryInclude).toEqual(body?.include ?? ['failed']);
  expect(world.queue.take()).toContainEqual({ crawlId: again });
});

test('a repeated retry with the same Idempotency-Key is the same crawl', async () => {
  const id = await crawlWith([line(1, 'failed')], [1], { completedAt: world.now() });
  const retry = (body: object) =>
    service.post(`${CRAWLS}/${id}/retry_failed`, key, body, { 'Idempotency-Key': 'again' });
  const first = await retry({});
  const again = await retry({ include: ['failed'] });
  expect([again.status, again.json['crawl_id'], again.headers['Idempotent-Replayed']]).toEqual([
    202,
    first.json['crawl_id'],
    'true',
  ]);
  expect((await retry({ include: ['failed', 'wall'] })).json['code']).toBe('idempotency_key_reused');
});
