import { describe, expect, test } from 'vitest';
import { evidenceFor } from '../../shared/domain/scrape/extraction/evidence.ts';
import { randomOf } from '../support/world/random.ts';

const evidenceOf = (value: unknown, text: string, markdown = '') =>
  evidenceFor({ value }, { text, markdown })[0]?.evidence;

describe('a value is quoted', () => {
  test.each<[string, unknown, string, string?]>([
    ['in its own words', 'Blue Widget', 'The Blue Widget costs 5.'],
    ['across white space', 'Blue Widget', 'The Blue\n\t \u00a0Widget'],
    ['with plain quotes for typographic ones', '"Don\'t" - it\'s', 'said “Don’t” – it’s'],
    ['without its soft hyphens', 'Donaudampfschiff', 'Donau\u00addampf\u00adschiff'],
    ['in another form of Unicode', 'Café ﬁn', 'Cafe\u0301 fin'],
    ['in a script without spaces', '渋谷区', '東京都渋谷区神南'],
    ['in Thai', 'ราคา', 'สินค้าราคาถูก'],
    ['in Korean with a particle', '서울', '서울에서'],
    ['as words in Markdown that are escaped', 'a_b*c', '', 'x a\\_b\\*c'],
    ['as a sign alone', '★★★', 'rated ★★★ by'],
    ['as a number', 1299, 'costs 1299 only'],
    ['as a number with commas', 1299, '$1,299.00'],
    ['as a number with points', 1299, '1.299,00 €'],
    ['as a number with spaces', 1299, '1 299 Kč'],
    ['as a number with narrow spaces', 1299.5, '1\u202f299,50 €'],
    ['as a number with apostrophes', 1299, 'CHF 1’299.–'],
    ['as a number in lakhs', 129900, '₹1,29,900'],
    ['as a fraction', 0.75, 'only .75 inches'],
    ['as a fraction with a comma', 4.5, '4,5 Sterne'],
    ['as a negative number', -5, '−5 °C'],
    ['as a number with its unit', 5, '5kg'],
    ['as a number before a currency', 20, '20EUR'],
    ['as a number after a currency', 20, 'USD20'],
    ['as a number before a currency in Cyrillic', 20, '20руб.'],
    ['as a size', 1080, '1920x1080'],
    ['as part of a range', 20, '10–20 days'],
    ['as a number in Arabic digits', 345, '٣٤٥ ريال'],
    ['as a number in Japanese', 1980, '価格1,980円'],
    ['as the year of a date', 2026, 'on 05.11.2026'],
    ['as a date in its own form', '2026-11-05', 'since 2026-11-05.'],
    ['as a URL that is linked', 'https://a.example/x_(y)', '', '[a](https://a.example/x_(y))'],
    ['as a URL with an escape', 'https://a.example/q_r', '', '[a](https://a.example/q\\_r "t")'],
    ['as a URL in angles', 'https://a.example/q', '', '<https://a.example/q>'],
    ['as a URL without its slash', 'https://a.example', '', '[a](https://a.example/)'],
    ['as a URL at the end of a sentence', 'https://a.example/q', 'see https://a.example/q.'],
  ])('%s', (_, value, text, markdown) => {
    expect(evidenceOf(value, text, markdown)).toBe('quoted');
  });
});

describe('a value is not quoted', () => {
  test.each<[string, unknown, string, string?]>([
    ['inside of a longer word', 'Widget', 'Widgets'],
    ['at the end of a longer word', 'get', 'Widget'],
    ['in other words', 'Red Widget', 'Blue Widget'],
    ['that is empty', '', 'text'],
    ['across text and Markdown', 'end begin', 'the end', 'begin here'],
    ['inside of a longer number', 299, '1299'],
    ['that is a group of a number', 299, '1,299.00'],
    ['that is a group after a point', 299, '1.299,00'],
    ['that is a group after a space', 299, '1 299'],
    ['that is a group after an apostrophe', 299, "1'299"],
    ['that is the end of a fraction', 75, '.75'],
    ['that is in a fraction', 4, '4.5 stars'],
    ['that is a text inside of a number', '299', '1,299'],
    ['that is a text before a fraction', 'Version 2', 'Version 2.5'],
    ['with another sign', 5, 'at -5 degrees'],
    ['with a sign it lacks', -20, '10-20'],
    ['in the name of a product', 15, 'iPhone15'],
    ['before letters', 1299, '1299XB'],
    ['that is multiplied', 12, '12k views'],
    ['with an exponent', 10, '10² metres'],
    ['beside a half', 1, '1½ cups'],
    ['in an address', 168, '192.168.0.1'],
    ['that is rounded', 1299, '1299.50'],
    ['that is larger than exact numbers', 2 ** 60, String(2n ** 60n)],
    ['as a date in another form', '2026-11-05', 'November 5, 2026'],
    ['that is true', true, 'true'],
    ['that is null', null, 'null'],
    ['as a URL that goes on', 'https://a.example/x', '', '[a](https://a.example/xyz)'],
    ['as a URL above another', 'https://a.example/x', '', '[a](https://a.example/x/y)'],
    ['as a URL of another host', 'https://b.example/x', '', '[a](https://a.example/x)'],
  ])('%s', (_, value, text, markdown) => {
    expect(evidenceOf(value, text, markdown)).toBe('not_in_page');
  });
});

test('each leaf has its path', () => {
  const values = { products: [{ price: 5, tags: ['new'] }, {}], none: [], 'a.b': null };
  expect(evidenceFor(values, { text: '5 new', markdown: '' })).toEqual([
    { path: 'products[0].price', evidence: 'quoted' },
    { path: 'products[0].tags[0]', evidence: 'quoted' },
    { path: 'a.b', evidence: 'not_in_page' },
  ]);
});

/** Ways to write a number with two decimals. */
const WRITINGS: readonly ((whole: number, cents: string) => string)[] = [
  (whole, cents) => `${whole}.${cents}`,
  (whole, cents) => `${whole},${cents}`,
  (whole, cents) => `$${grouped(whole, ',')}.${cents}`,
  (whole, cents) => `${grouped(whole, '.')},${cents} €`,
  (whole, cents) => `CHF ${grouped(whole, '’')}.${cents}`,
  (whole, cents) => `${grouped(whole, ' ')},${cents} kr`,
  (whole, cents) => `${grouped(whole, '\u202f')},${cents}\u00a0€`,
  (whole, cents) => `${grouped(whole, ',')}.${cents}kg`,
];

const grouped = (whole: number, mark: string) => String(whole).replace(/\B(?=(\d{3})+$)/g, mark);

test('of 2,000 generated values exactly the 1,000 in the page are quoted, in any notation', () => {
  const random = randomOf(46);
  const unique = new Set<number>();
  while (unique.size < 1_000) unique.add(1_000 + random.int(8_999_000));
  const there = [...unique].map((whole, at) => {
    const cents = String(10 + random.int(90));
    const word = `item${at.toString(36)}q`;
    return at % 2 === 0
      ? {
          value: Number(`${whole}.${cents}`),
          near: Number(`${whole + 0.5}`) + 20_000_000,
          text: WRITINGS[(at / 2) % WRITINGS.length]?.(whole, cents) ?? '',
        }
      : {
          value: `Blue “${word}” No. ${at}`,
          near: `Blue "${word}" No. ${at}7`,
          text: `Blue \u201c${word}\u201d\n  No.\u00a0${at}`,
        };
  });
  const page = there.map(({ text }) => `| ${text} |\n`).join('It costs that.\n');
  const filler = 'And so on, with 7 words that say nothing. '.repeat(Math.ceil((240_000 - page.length) / 42));
  const text = page + filler;
  const found = evidenceFor({ there: there.map(({ value }) => value) }, { text, markdown: text });
  expect(found.filter(({ evidence }) => evidence !== 'quoted')).toEqual([]);
  const near = evidenceFor({ near: there.map((each) => each.near) }, { text, markdown: text });
  expect(near.filter(({ evidence }) => evidence === 'quoted')).toEqual([]);
});

test('a page of one word over and over is searched in one go', () => {
  const text = 'a b '.repeat(60_000);
  const values = Array.from({ length: 50 }, (_, at) => `${'a b '.repeat(200 + at)}b`);
  const before = process.cpuUsage();
  const found = evidenceFor({ values }, { text, markdown: text });
  const { user } = process.cpuUsage(before);
  expect(found.every(({ evidence }) => evidence === 'not_in_page')).toBe(true);
  expect(user / 1_000).toBeLessThan(30_000);
});
