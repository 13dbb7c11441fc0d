import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Compared } from '../../shared/contract/scrape/change.ts';
import { changedFields, compare } from '../../shared/output/change/compare.ts';
import { unifiedDiff } from '../../shared/output/change/unified-diff.ts';
import { convertCompared } from '../../shared/output/convert-page.ts';
import { extent } from '../support/world/extent.ts';
import { noisyPage } from '../support/world/noisy-page.ts';
import { randomOf } from '../support/world/random.ts';

const statusOf = (previous: string, current: string) =>
  compare(current, { of: 'markdown', previous, context: 3 }).status;

test('a page without an earlier result is new', () => {
  expect(compare('# Hello\n', { of: 'markdown', context: 3 })).toEqual({ status: 'new' });
});

test.each([
  ['a clock', 'It is 12:04:31 now', 'It is 9:15:00 now'],
  [
    'a clock with its date',
    'Thursday, 26 November 2026, 12:04:31 UTC',
    'Friday, 27 November 2026, 00:00:00 UTC',
  ],
  ['a clock of an API', '2026-11-26T10:39:22.123Z', '2026-11-27T10:39:22Z'],
  ['a clock of Unix', 'Thu Nov 26 10:39:22 UTC 2026', 'Fri Nov 27 10:39:22 UTC 2026'],
  ['a German clock', 'am 26. November 2026 um 10:39:22 Uhr', 'am 1. Dezember 2026 um 9:39:22 Uhr'],
  ['a clock that says so', 'Last updated: 12:04', 'Last updated: 12:05'],
  ['a clock in a sentence', 'It is now 12:04 PM', 'It is now 1:05 PM'],
  ['today', 'Today is Thursday, 26 November 2026.', 'Today is Friday, 27 November 2026.'],
  ['a number of ads', 'One\n\n**Advertisement**\n\nAd 1 of 5', 'One\n\nAd 2 of 5'],
  ['an age', 'Posted 3 minutes ago', 'Posted an hour ago'],
  ['an age in French', 'il y a 3 minutes', 'il y a 2 heures'],
  ['an age in Japanese', '3 分前に投稿', '4分前に投稿'],
  ['tracking', '[a](https://a.example/p?id=1&utm_source=x)', '[a](https://a.example/p?id=1&gclid=y)'],
  ['a session in a path', '[a](https://a.example/p;jsessionid=1F?id=1)', '[a](https://a.example/p?id=1)'],
  ['a cache buster', '![](https://a.example/i.png?v=1)', '![](https://a.example/i.png?v=2)'],
  [
    'a version of a picture',
    '![](https://a.example/i-1f2e3d4c.png)',
    '![](https://a.example/i-5b6a7988.png)',
  ],
  [
    'an ad',
    'One\n\n[![](https://c.example.net/1.gif)](https://x.example/1)\n\nTwo\n',
    'One\n\nTwo\n\n[![Ad](https://c.example.net/2.gif)](https://y.example/2)\n',
  ],
  ['the id of a request', 'Request ID: **8f3a9c1b2d**', 'Request ID: **77aa9c1b2d**'],
  ['white space', '| a | b  |\n\n\n', '| a  | b |\n'],
])('a text that differs only in %s is the same', (_, previous, current) => {
  expect([statusOf(previous, current), statusOf(current, previous)]).toEqual(['same', 'same']);
});

test.each([
  ['a word', 'A red car', 'A blue car'],
  ['a price', 'Price: 12.50 EUR', 'Price: 12.40 EUR'],
  ['a price beside a clock', '12:04:31 1,200 USD', '12:05:31 1,300 USD'],
  ['points beside a clock', '12:04:31 +1250 points', '12:04:31 +1350 points'],
  ['a stock count', '5 in stock', '4 in stock'],
  ['words about ads', 'Ads 20 percent off', 'Ads 30 percent off'],
  ['a number of days', '3 days left', '2 days left'],
  ['a count before an age', '5 answers, 3 minutes ago', '6 answers, 3 minutes ago'],
  ['when a shop opens', 'Open from 9:00 to 17:00', 'Open from 10:00 to 17:00'],
  ['a day', 'Concert on 26 November 2026', 'Concert on 27 November 2026'],
  ['a link', '[a](https://a.example/p?id=1)', '[a](https://a.example/p?id=2)'],
  ['a version in a link', '[a](https://a.example/p?v=1)', '[a](https://a.example/p?v=2)'],
  [
    'a picture that leads to a page of its site',
    'One [![](https://a.example/1)](https://a.example/p)',
    'One',
  ],
  ['a picture', '![](https://a.example/cat.png)', '![](https://a.example/dog.png)'],
  ['a linked picture with a text', 'One [![Cat](https://a.example/1)](https://b.example/1)', 'One'],
  ['a version', 'Version 1.2.3', 'Version 1.2.4'],
  ['a checksum', `sha256: ${'1a'.repeat(32)}`, `sha256: ${'1b'.repeat(32)}`],
  ['a mark', '**Sale**', 'Sale'],
  ['a line', 'One\n', 'One\nTwo\n'],
  ['the hours of a timetable', '10:00:00 '.repeat(6_000), '11:00:00 '.repeat(6_000)],
])('a text that differs in %s is changed', (_, previous, current) => {
  expect([statusOf(previous, current), statusOf(current, previous)]).toEqual(['changed', 'changed']);
});

test.each([
  [{ a: '1', b: ['x'] }, { a: '1', b: ['x'] }, {}],
  [{ price: '20' }, { price: null }, { price: { old: '20', new: null } }],
  [{ p: [{ n: 'a', c: 1 }] }, { p: [{ n: 'b', c: 1 }] }, { 'p[0].n': { old: 'a', new: 'b' } }],
  [{ p: ['a'] }, { p: ['a', 'b'] }, { 'p[1]': { new: 'b' } }],
  [{ p: ['a', 'b'] }, { p: [] }, { 'p[0]': { old: 'a' }, 'p[1]': { old: 'b' } }],
  [{ t: 'x' }, { t: { u: 'x' } }, { t: { old: 'x', new: { u: 'x' } } }],
  [{ t: [] }, { t: {} }, { t: { old: [], new: {} } }],
  [{ 'a.b': 1, a: { b: 1 } }, { 'a.b': 2, a: { b: 1 } }, { '["a.b"]': { old: 1, new: 2 } }],
  [
    JSON.parse('{"__proto__":1}'),
    JSON.parse('{"__proto__":2}'),
    JSON.parse('{"__proto__":{"old":1,"new":2}}'),
  ],
])('values that differ are named by their paths: %j, then %j', (old, now, expected) => {
  expect(changedFields(old, now)).toEqual(expected);
});

test('values are compared exactly, also clocks', () => {
  const [previous, current] = ['{"at":"12:04:31"}', '{"at":"12:04:32"}'];
  expect(compare(current, { of: 'extract', previous, context: 3 })).toEqual({
    status: 'changed',
    fields: { at: { old: '12:04:31', new: '12:04:32' } },
  });
});

type Pair = { previous: string; current: string; diff: string };

/** What GNU patch makes of texts by their diffs. */
function patched(pairs: readonly Pair[]): string[] {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'sitefetch-patch-'));
  mkdirSync(join(folder.path, 'pages'));
  const files = pairs.map((_, index) => join(folder.path, 'pages', `${index}.md`));
  pairs.forEach(({ previous }, index) => writeFileSync(files[index] ?? '', previous));
  const input = pairs.map(({ diff }, index) =>
    diff.replace('--- previous\n+++ current\n', `--- pages/${index}.md\n+++ pages/${index}.md\n`),
  );
  execFileSync('patch', ['--strip=0', '--fuzz=0', '--silent'], { cwd: folder.path, input: input.join('') });
  return files.map((file) => readFileSync(file, 'utf8'));
}

test.each([
  ['a line feed at the end is lost', 'a\nb\n', 'a\nb'],
  ['a line feed at the end is new', 'a\nb', 'a\nb\n'],
  ['neither ends with a line feed', 'a\nb', 'a\nc'],
  ['everything is new', '', 'a\nb\n'],
  ['nothing is left but a line', 'a\nb\nc\n', 'b\n'],
  [
    'lines look like marks of a diff',
    '-- a\n++ b\n@@ -1 +1 @@\n\\ No newline\n',
    '-- b\n++ b\n@@ -1 +1 @@\nx\n',
  ],
  ['lines end as on Windows', 'a\r\nb\r\n', 'a\r\nc\r\n'],
  ['lines have separators of other kinds', 'a\u2028b\nc\u0085\f\n', 'a\u2028b\nd\u0085\f\n'],
])('a diff applies where %s', (_, previous, current) => {
  for (const context of [0, 3, 20]) {
    const diff = unifiedDiff(previous, current, context);
    expect(patched([{ previous, current, diff }])).toEqual([current]);
  }
});

test('a diff has as many lines of context as requested', () => {
  const lines = Array.from({ length: 50 }, (_, index) => `line ${index}`);
  const [previous, current] = [lines, lines.with(25, 'other')].map((some) => `${some.join('\n')}\n`) as [
    string,
    string,
  ];
  for (const context of [0, 1, 20]) {
    const diff = unifiedDiff(previous, current, context);
    expect(diff.split('\n').filter((line) => line.startsWith(' ')).length).toBe(2 * context);
  }
});

test('random lines have diffs that apply, also if too much differs', () => {
  const pairs = Array.from({ length: 60 }, (_, seed): Pair => {
    const random = randomOf(seed);
    const size = random.of([3, 40, 400, 2_000]);
    const text = () => {
      const lines = Array.from({ length: random.int(size) }, () =>
        random.of(['a', 'b', '', `${random.int(size)}`]),
      );
      return lines.join('\n') + (random.chance(0.5) && lines.length > 0 ? '\n' : '') + 'end';
    };
    const [previous, current] = [text(), `${text()}!`];
    return { previous, current, diff: unifiedDiff(previous, current, random.int(21)) };
  });
  expect(patched(pairs)).toEqual(pairs.map(({ current }) => current));
});

const MANY = extent(1_000_000, 5_000_000);

test.each([
  ['lines', 'old one\n', 'new one\n'],
  ['empty lines', '\n', '\n\n'],
  ['clocks', '12:04:31 ', '12:04:32 '],
  ['ages', '3 minutes ago, ', '4 minutes ago '],
  ['addresses', 'https://a.example/?a=1&b=2 ', 'https://a.example/?a=1&b=3 '],
  [
    'pictures that are links',
    '[![](https://a.example/1)](https://b.example/2) ',
    '[![](https://a.example/1)]',
  ],
])(
  'megabytes of %s are compared in bounded time, and the diff still applies',
  (_, old, now) => {
    const text = (unit: string, first: string) => `${first}\n${unit.repeat(MANY / unit.length)}\nend`;
    const [previous, current] = [text(old, 'A red car'), text(now, 'A blue car')];
    const { status, diff = '' } = compare(current, { of: 'markdown', previous, context: 2 });
    expect(status).toBe('changed');
    expect(patched([{ previous, current, diff }])[0] === current).toBe(true);
  },
  60_000,
);

const formats: readonly Compared[] = ['markdown', 'text'];

describe.each(formats)('generated pages as %s', (of) => {
  const comparedWith = (html: string, previous?: string, context = 3) =>
    convertCompared({
      ...{ body: Buffer.from(html), contentType: 'text/html; charset=utf-8', url: 'https://shop.example/' },
      ...{ outputs: ['change'], scope: 'full', comparison: { of, previous, context } },
    });
  const seeds = Array.from({ length: extent(25, 200) }, (_, seed) => seed);

  test('pages that differ in nonces, ads and clocks are the same', () => {
    const changed = seeds.flatMap((seed) => {
      const { compared } = comparedWith(noisyPage({ seed }, 1_000 + seed));
      const { change } = comparedWith(noisyPage({ seed }, 2_000 + seed), compared);
      return change?.status === 'same' ? [] : [change];
    });
    expect(changed).toEqual([]);
  });

  test('pages that differ in one word are changed, and their diffs apply', () => {
    const pairs = seeds.map((seed): Pair => {
      const { compared: previous = '' } = comparedWith(noisyPage({ seed }, 1_000 + seed));
      const told = { seed, word: 'lighthouse' };
      const { change, compared: current = '' } = comparedWith(
        noisyPage(told, 2_000 + seed),
        previous,
        seed % 21,
      );
      expect(change?.status).toBe('changed');
      return { previous, current, diff: change?.diff ?? '' };
    });
    expect(patched(pairs)).toEqual(pairs.map(({ current }) => current));
  });
});
