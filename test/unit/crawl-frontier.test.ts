import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import type { WaveLine } from '../../shared/contract/crawls/wave.ts';
import { deniesUse } from '../../shared/domain/crawls/content-usage.ts';
import { crawlCounts } from '../../shared/domain/crawls/crawl-view.ts';
import { isUnchanged } from '../../shared/domain/crawls/last-change.ts';
import {
  chooseLines,
  chunksOf,
  distanceAt,
  firstDue,
  lanesAtHost,
  mostAtHost,
  linkWeight,
  waveSize,
} from '../../shared/domain/crawls/next-wave.ts';
import { placesOf } from '../../shared/domain/crawls/place-url.ts';
import { robotsWishes } from '../../shared/domain/crawls/robots.ts';
import { folded, siteIdentity } from '../../shared/domain/crawls/site-identity.ts';
import {
  fingerprint,
  lookUp,
  ROW_BYTES,
  type Table,
  withRows,
} from '../../shared/domain/crawls/sorted-table.ts';
import { outcomeOfRest, stopReasonOf } from '../../shared/domain/crawls/stop-reason.ts';
import { randomOf } from '../support/world/random.ts';

/** Bytes in pieces of any length, as a stream has them. */
async function* inPieces(bytes: Buffer, length: number): Table {
  for (let at = 0; at < bytes.length; at += length) {
    await Promise.resolve();
    yield bytes.subarray(at, at + length);
  }
}

const whole = (table: Table) => buffer(table);

test('a table has what a map would have, however its stream is cut', async () => {
  const random = randomOf(7);
  const key = () => (random.chance(0.5) ? BigInt(random.int(400)) : fingerprint(`${random.int(400)}`));
  const map = new Map<bigint, number>();
  let stored = Buffer.alloc(0);
  for (let round = 0; round < 40; round += 1) {
    const changes = new Map(Array.from({ length: random.int(60) }, () => [key(), random.int(4)] as const));
    stored = await whole(withRows(inPieces(stored, 1 + random.int(100)), changes));
    for (const [each, number] of changes)
      if (number > 0) map.set(each, number);
      else map.delete(each);
    expect(stored.length).toBe(map.size * ROW_BYTES);
    const wanted = Array.from({ length: 80 }, key);
    const found = await lookUp(inPieces(stored, 1 + random.int(100)), wanted);
    for (const each of wanted) expect(found.get(each)).toBe(map.get(each));
  }
  const keys = Array.from({ length: map.size }, (_, row) => stored.readBigUInt64BE(row * ROW_BYTES));
  expect(keys).toEqual([...map.keys()].sort((a, b) => (a < b ? -1 : 1)));
});

test('origins are one site from the redirect that proves it, in any order', () => {
  const url = (text: string) => new URL(text);
  const [plain, secure, www] = ['http://a.test', 'https://a.test', 'https://www.a.test'];
  const fold = (known: [string, string][], from: string, to: string) =>
    folded(undefined, known, url(from), url(to));
  const one = fold([], `${plain}/x?utm_source=1`, `${secure}/x`);
  const two = fold(one, `${secure}/y`, `${www}/y`);
  const { keyOf, keysOf, exactOf } = siteIdentity(undefined, two);
  expect(keyOf(url(`${plain}/z`))).toBe(keyOf(url(`${www}/z`)));
  expect(keysOf(url(`${secure}/z`))).toHaveLength(3);
  for (const each of [plain, secure, www])
    expect(keysOf(url(`${plain}/z`))).toContain(exactOf(url(`${each}/z`)));
  expect(fold(two, `${www}/z`, `${plain}/z`)).toEqual(two);
  expect(fold([], `${plain}/x`, `${secure}/`)).toEqual([]);
  expect(fold([], `${plain}/x`, 'https://b.test/x')).toEqual([]);
});

test.each([
  ['train-ai=n', ['ai-train'], '/', true],
  ['ai-train=no, search=yes', ['search'], '/', false],
  ['ai-train=no, search=yes', ['search', 'ai-train'], '/', true],
  ['AI-Input = NO', ['ai-input'], '/', true],
  ['search=n;train-ai=y', ['ai-train'], '/', false],
  ['train-ai=n\n/open/ train-ai=y', ['ai-train'], '/open/1', false],
  ['train-ai=n\n/open/ train-ai=y', ['ai-train'], '/opened', true],
  ['', ['ai-train'], '/', false],
] as const)('"%s" for %j at %s denies: %s', (text, uses, path, denies) => {
  expect(deniesUse(text, uses, new URL(path, 'https://a.test'))).toBe(denies);
});

test('a robots.txt has a delay and signals for its crawler, or else for any', () => {
  const own =
    'User-agent: *\nCrawl-delay: 9\nContent-Signal: search=no\n\nUser-agent: other\nUser-agent: sitefetch/2\nCrawl-delay: 2.5 # s\nDisallow:';
  expect(robotsWishes(own, 'Sitefetch')).toEqual({ crawlDelay: 2.5 });
  expect(robotsWishes(own, 'Another')).toEqual({ crawlDelay: 9, contentUsage: 'search=no' });
  expect(robotsWishes('Content-Usage: train-ai=n', 'Sitefetch')).toEqual({ contentUsage: 'train-ai=n' });
  expect(robotsWishes('User-agent: *\nCrawl-delay: soon\nContent-Signal:', 'Sitefetch')).toEqual({});
  expect(
    robotsWishes('User-agent: sitefetch\nDisallow:\n\nUser-agent: *\nCrawl-delay: 5', 'Sitefetch'),
  ).toEqual({});
});

const lineAt = (host: string, place: number): WaveLine => ({
  url: `https://${host}/${place}`,
  crawl: { place, depth: 0, via: 'seed' },
});

test('a wave takes the first lines, and passes over lines of slow hosts', () => {
  const lines = ['slow', 'slow', 'a', 'slow', 'b', 'a', 'slow'].map(lineAt);
  const mostAt = (host: string) => (host === 'slow' ? 1 : Infinity);
  const pausedUntil = () => undefined;
  const choice = (most: number, mostAtEach = mostAt) =>
    chooseLines(lines, { most, mostAt: mostAtEach, pausedUntil, due: undefined });
  expect(choice(3).map(({ crawl }) => crawl.place)).toEqual([0, 2, 4]);
  expect(choice(50, () => 0)).toEqual([]);
});

test('a wave passes over paused hosts, and waits for the first of them if all are paused', () => {
  const pauses = new Map([
    ['a', '2026-11-21T12:02:00.000Z'],
    ['b', '2026-11-21T12:01:00.000Z'],
  ]);
  const pausedUntil = (host: string) => pauses.get(host);
  const waveOf = (hosts: string[]) =>
    chooseLines(hosts.map(lineAt), {
      ...{ most: 9, mostAt: () => Infinity },
      ...{ pausedUntil, due: firstDue(new Set(hosts), pausedUntil) },
    }).map(({ crawl: { place, due } }) => [place, due]);
  expect(waveOf(['a', 'c', 'b', 'c'])).toEqual([
    [1, undefined],
    [3, undefined],
  ]);
  expect(waveOf(['a', 'b', 'a', 'b'])).toEqual([
    [1, pauses.get('b')],
    [3, pauses.get('b')],
  ]);
});

test('chunks have one host each, take turns, and as many run at once as a host allows', () => {
  const lines = Array.from({ length: 1_206 }, (_, n) => lineAt(n < 1_200 ? 'a' : 'b', n));
  const sizes = (atOnce: number) =>
    chunksOf(lines, () => atOnce).map(({ host, lines: own }) => `${host}${own.length}`);
  expect(sizes(2)).toEqual(['a500', 'b3', 'a500', 'b3', 'a200']);
  expect(sizes(10)).toEqual([...['a120', 'b3', 'a120', 'b3'], ...Array.from({ length: 8 }, () => 'a120')]);
  expect(sizes(1)).toEqual(['a500', 'b6', 'a500', 'a200']);
});

test('hosts share the slots of an organization', () => {
  const lines = ['a', 'b', 'c', 'a'].map(lineAt);
  const lanes = (slots: number) => lanesAtHost(lines, { slots, concurrency: 10 });
  expect([lanes(1), lanes(10), lanes(200)]).toEqual([1, 4, 10]);
});

test('a wave of many hosts has no more chunks than ids', () => {
  const lines = Array.from({ length: 20_000 }, (_, n) => lineAt(`h${n % 1_999}`, n));
  expect(chunksOf(lines, () => 10).length).toBeLessThanOrEqual(4_096);
});

test('waves grow with the crawl, and shrink with the links of its pages', () => {
  const size = (asked: number, links = 0, linked = 0) => waveSize({ asked }, { links, linked });
  expect([size(0), size(99), size(1_000), size(1_000_000)]).toEqual([100, 396, 4_000, 20_000]);
  expect([size(10_000, 500_000, 1_000), size(10_000, 10_000_000, 1)]).toEqual([1_000, 1]);
  expect([
    distanceAt(500, undefined),
    distanceAt(500, { crawl_delay: 2 }),
    distanceAt(0, { crawl_delay: 99 }),
  ]).toEqual([500, 2_000, 30_000]);
  expect([mostAtHost(0, 2), mostAtHost(500, 2), mostAtHost(90_000, 2)]).toEqual([1_000, 120, 1]);
});

test('links of a menu weigh little, for a merge has each once', () => {
  const page = { links: ['/', '/a', '/b', '/c', '/d', '/e', '/f', '/g'] };
  expect(linkWeight([], 0)).toBe(0);
  expect(linkWeight([page], 8)).toBe(8);
  expect(linkWeight([page, page, { links: ['/h'] }, {}], 9)).toBe(10);
});

test.each([
  ['2026-11-20', '2026-11-21T00:00:00.000Z', true],
  ['2026-11-20', '2026-11-20T23:59:59.999Z', false],
  ['2026-11', '2026-12-01T00:00:00.000Z', true],
  ['2025', '2025-12-31T00:00:00.000Z', false],
  ['2026-11-20T10:00:00.000Z', '2026-11-20T10:00:00.000Z', true],
  ['soon', '2026-11-20T10:00:00.000Z', false],
  [undefined, '2026-11-20T10:00:00.000Z', false],
])('a lastmod of %s is no change since %s: %s', (lastmod, fetchedAt, expected) => {
  expect(isUnchanged(lastmod, fetchedAt)).toBe(expected);
});

test('requests are counted by the path of a query, and by the two first folders', () => {
  const keys = (path: string) =>
    placesOf(new URL(path, 'https://a.test')).map(({ key, most }) => `${key} ${most}`);
  expect(keys('/a/b')).toEqual([]);
  expect(keys('/a/b?q=1')).toEqual(keys('/a/b?q=2'));
  expect(keys('/a/b/c')).toEqual(keys('/a/b/d/e'));
  expect(keys('/a/b/c?q')).toHaveLength(2);
});

const AT = new Date('2026-11-26T12:00:00Z');
const late = new Date(AT.getTime() + 1);

test('what waits ends by the first reason not to request it', () => {
  const open = { deadlineAt: late };
  expect(outcomeOfRest(open, new Set(['timeout', 'connect_failed']), AT)).toBeUndefined();
  expect(outcomeOfRest({ ...open, cancelledAt: AT }, new Set(['insufficient_credits']), AT)).toBe(
    'cancelled',
  );
  expect(outcomeOfRest({ deadlineAt: AT }, new Set(), AT)).toBe('deadline');
  expect(outcomeOfRest(open, new Set(['key_not_allowed']), AT)).toBe('budget');
  expect(outcomeOfRest(open, new Set(['organization_suspended']), AT)).toBe('cancelled');
});

test('a crawl says why it stopped', () => {
  const seeds = { total: 2, disallowed: 0, unreachable: 0, answered: 1 };
  const silent = { ...seeds, answered: 0 };
  const reason = (outcomes: object, of = seeds, cancelled = {}) => stopReasonOf(cancelled, outcomes, of);
  expect([reason({ page: 1 }), reason({ limit: 1 }), reason({ limit: 1, budget: 1 })]).toEqual([
    'done',
    'limit',
    'max_credits',
  ]);
  expect([reason({ deadline: 1 }), reason({}, seeds, { cancelledAt: AT })]).toEqual([
    'deadline',
    'cancelled',
  ]);
  expect(reason({}, { ...silent, disallowed: 2 })).toBe('robots');
  expect(reason({}, { ...silent, disallowed: 1, unreachable: 1 })).toBe('unreachable');
  expect(reason({}, { total: 0, disallowed: 0, unreachable: 0, answered: 0 })).toBe('done');
});

test('counts add up however far a wave is', () => {
  const wave = { batchId: 'any', firstLine: 1, lines: 10 };
  const counts = crawlCounts({ outcomes: { page: 3, trap: 1 }, queued: 5, wave }, { ended: 8, running: 4 });
  expect(counts).toMatchObject({ discovered: 19, pending: 5, running: 10, page: 3, trap: 1, failed: 0 });
  expect(crawlCounts({ outcomes: {}, queued: 2 })).toMatchObject({ discovered: 2, pending: 2, running: 0 });
});
