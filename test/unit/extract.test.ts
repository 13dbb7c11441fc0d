import { expect, test } from 'vitest';
import { ExtractRules } from '../../shared/contract/scrape/extract-rules.ts';
import { converted } from '../support/world/converted.ts';

const BLOG = `<html><head><title>The ScrapingBee Blog</title></head><body>
  <h1>The <b>ScrapingBee</b>
    Blog</h1><div id="subtitle" data-id="7"> We help you </div>
  <a class="link" href="/one">One</a><a class="link" href="/two">Two</a><a>None</a>
  <div class="card" id="a"><h4>First</h4><p>Words <a href="/first">more</a></p></div>
  <div class="card" id="b"><h4>Second</h4><p>Others <a href="/second">more</a></p></div>
  <table id="t"><tr><th>Name</th><th>Age</th></tr><tr><td>Ada</td><td>36</td></tr><tr><td>Alan</td><td>41</td></tr></table>
  <ul><li>x</li><li>y</li></ul><script>ignored()</script></body></html>`;

const extracted = (rules: ExtractRules, html = BLOG) =>
  converted(html, { outputs: ['extract'], rules: ExtractRules.parse(rules) });

const cards = [
  { title: 'First', href: '/first' },
  { title: 'Second', href: '/second' },
];
const objects = [
  { Name: 'Ada', Age: '36' },
  { Name: 'Alan', Age: '41' },
];

test.each<[string, ExtractRules[string], unknown]>([
  ['is a selector', 'h1', 'The ScrapingBee Blog'],
  ['is an id', '#subtitle', 'We help you'],
  ['is an object with a selector', { selector: 'h1' }, 'The ScrapingBee Blog'],
  ['finds the first of several', '.link', 'One'],
  ['finds all as a list', { selector: '.link', type: 'list' }, ['One', 'Two']],
  ['finds one item', { selector: '.link', type: 'item' }, 'One'],
  ['finds an attribute in short', 'a@href', '/one'],
  ['finds an attribute of data in short', '#subtitle@data-id', '7'],
  ['finds an attribute by XPath in parentheses', '(//a)[2]/@href', '/two'],
  ['finds an attribute by a relative XPath', './/a/@href', '/one'],
  ['finds an attribute', { selector: 'a', output: '@href' }, '/one'],
  ['finds an attribute in short in an object', { selector: 'a@href' }, '/one'],
  ['finds a list of attributes in short', { selector: '.link@href', type: 'list' }, ['/one', '/two']],
  ['finds an attribute of any element', '@data-id', '7'],
  ['finds a list of attributes', { selector: '.link', type: 'list', output: '@href' }, ['/one', '/two']],
  [
    'returns HTML',
    { selector: '#subtitle', output: 'html' },
    '<div id="subtitle" data-id="7"> We help you </div>',
  ],
  ['returns text', { selector: '#subtitle', output: 'text' }, 'We help you'],
  ['returns text as it is', { selector: '#subtitle', clean: false }, ' We help you '],
  ['is an XPath', '//h1', 'The ScrapingBee Blog'],
  ['is an absolute XPath', '/html/body/h1', 'The ScrapingBee Blog'],
  ['is an XPath by its type', { selector: 'count(//li)', selector_type: 'xpath' }, '2'],
  ['is CSS by its type', { selector: 'h1', selector_type: 'css' }, 'The ScrapingBee Blog'],
  [
    'finds attributes by XPath',
    { selector: '//a/@href', type: 'list' },
    ['/one', '/two', '/first', '/second'],
  ],
  ['finds text by XPath', '//h1/b/text()', 'ScrapingBee'],
  ['uses functions of XPath', "//a[contains(@class, 'link')][2]", 'Two'],
  ['goes up by XPath', "//h4[text()='Second']/../@id", 'b'],
  ['finds what contains a text', 'a:contains("Two")', 'Two'],
  ['finds what has an element', '.card:has(a[href="/second"]) h4', 'Second'],
  ['finds by position', 'li:nth-child(2)', 'y'],
  ['returns a table as objects', { selector: '#t', output: 'table_json' }, objects],
  [
    'returns a table as lists',
    { selector: '#t', output: 'table_array' },
    [
      ['Ada', '36'],
      ['Alan', '41'],
    ],
  ],
  ['finds rows as a browser has them', '#t > tbody > tr:nth-child(2) > td', 'Ada'],
  [
    'has rules of its own',
    { selector: '.card', type: 'list', output: { title: 'h4', href: { selector: 'a', output: '@href' } } },
    cards,
  ],
  ['has rules for one element', { selector: '.card', output: { title: 'h4', href: 'a@href' } }, cards[0]],
  [
    'searches by XPath inside its element',
    { selector: '.card', type: 'list', output: { title: '//h4', href: '//a/@href' } },
    cards,
  ],
  [
    'takes an attribute of its own element',
    { selector: '.card', type: 'list', output: { id: '@id' } },
    [{ id: 'a' }, { id: 'b' }],
  ],
])('a rule: %s', (_, rule, value) => {
  expect(extracted({ it: rule })).toEqual({ extract: { it: value }, extractReport: [] });
});

test('a rule may be three levels deep', () => {
  const rules = {
    cards: { selector: 'body', output: { all: { selector: '.card', type: 'list', output: { h: 'h4' } } } },
  };
  expect(extracted(rules as ExtractRules).extract).toEqual({
    cards: { all: [{ h: 'First' }, { h: 'Second' }] },
  });
});

const PAGE = `<head><base href="/en/"><meta property="og:image" content="/og.png"></head>
    <body><a href="one?a=1&amp;b=2#c">1</a><a href=" //cdn.example.org/two ">2</a><a href="javascript:go()">3</a>
    <a name="x">4</a><img src="i.png" srcset="i.png 1x, /i2.png 2x"><form action="../send"></form>
    <svg><use xlink:href="#u"/></svg><p data-link="three">p</p><q cite="said">q</q></body>`;

test.each<[string, ExtractRules[string], unknown]>([
  ['stays as it stands without output', 'a@href', 'one?a=1&b=2#c'],
  ['stays as it stands in an attribute', { selector: 'img', output: '@src' }, 'i.png'],
  ['of a link', { selector: 'a', output: 'url' }, 'https://example.com/en/one?a=1&b=2#c'],
  ['of an attribute', { selector: 'a@href', output: 'url' }, 'https://example.com/en/one?a=1&b=2#c'],
  ['of an attribute of data', { selector: 'p@data-link', output: 'url' }, 'https://example.com/en/three'],
  ['of any element', { selector: '@data-link', output: 'url' }, 'https://example.com/en/three'],
  ['of an image', { selector: 'img', output: 'url' }, 'https://example.com/en/i.png'],
  ['of a form', { selector: 'form', output: 'url' }, 'https://example.com/send'],
  ['of a quotation', { selector: 'q', output: 'url' }, 'https://example.com/en/said'],
  ['of a meta element', { selector: '[property="og:image"]', output: 'url' }, 'https://example.com/og.png'],
  ['of a symbol', { selector: 'use', output: 'url' }, 'https://example.com/en/#u'],
  ['by XPath', { selector: '//form/@action', output: 'url' }, 'https://example.com/send'],
  ['of an element by XPath', { selector: '//img', output: 'url' }, 'https://example.com/en/i.png'],
  [
    'of each size',
    { selector: 'img@srcset', output: 'url' },
    'https://example.com/en/i.png 1x, https://example.com/i2.png 2x',
  ],
  [
    'in a list, without scripts and anchors',
    { selector: 'a', type: 'list', output: 'url' },
    ['https://example.com/en/one?a=1&b=2#c', 'https://cdn.example.org/two'],
  ],
  [
    'in rules of its own',
    { selector: 'form', output: { to: { selector: '@action', output: 'url' } } },
    { to: 'https://example.com/send' },
  ],
])('a URL: %s', (_, rule, value) => {
  expect(extracted({ it: rule }, PAGE).extract).toEqual({ it: value });
});

test('a URL that leads nowhere is a miss', () => {
  const { extractReport } = extracted({ it: { selector: '[name=x]', output: 'url' } }, PAGE);
  expect(extractReport).toEqual([{ rule: 'it', selector: '[name=x]', reason: 'no_value' }]);
});

const values = (html: string, output: string) =>
  extracted({ it: { selector: 'table', output } }, `<table>${html}</table>`).extract;

test('a table keeps values in their columns below a cell over several rows', () => {
  const html =
    '<tr><th>Maker<th>Model<th>Year<tr><td rowspan=2>Ford<td>T<td>1908<tr><td>A<td>1927<tr><td colspan=2>None<td>1930';
  expect(values(html, 'table_json')).toEqual({
    it: [
      { Maker: 'Ford', Model: 'T', Year: '1908' },
      { Maker: 'Ford', Model: 'A', Year: '1927' },
      { Maker: 'None', Model: 'None', Year: '1930' },
    ],
  });
  expect(values(html, 'table_array')).toEqual({
    it: [
      ['Ford', 'T', '1908'],
      ['Ford', 'A', '1927'],
      ['None', 'None', '1930'],
    ],
  });
});

test('a table keeps both columns of one name', () => {
  expect(values('<tr><th>Price<th><th>Price<tr><td>1<td>2<td>3', 'table_json')).toEqual({
    it: [{ Price: '1', column_2: '2', Price_2: '3' }],
  });
});

test.each([
  ['<!doctype html><title>T</title><p>x', '/html/head/title', 'T'],
  ['<!doctype html><title>T</title><p>x', 'html > body > p', 'x'],
  ['<html><meta charset=utf-8><title>T</title><body><p>x', 'head > title', 'T'],
  ['<head><title>T</title></head><p>x', 'head > title', 'T'],
])('a page without html, head and body has them for selectors: %s', (html, rule, value) => {
  expect(extracted({ it: rule }, html).extract).toEqual({ it: value });
});

test('what is not found is null or an empty list, and in the report by its path', () => {
  const { extract, extractReport } = extracted({
    price: '.price',
    tags: { selector: '.tag', type: 'list' },
    cards: { selector: '.card', type: 'list', output: { h: 'h4', date: 'time' } },
    id: 'h1@id',
  });
  expect(extract).toMatchObject({ price: null, tags: [], id: null });
  expect(extractReport).toEqual([
    { rule: 'price', selector: '.price', reason: 'no_match' },
    { rule: 'tags', selector: '.tag', reason: 'no_match' },
    { rule: 'cards[0].date', selector: 'time', reason: 'no_match' },
    { rule: 'cards[1].date', selector: 'time', reason: 'no_match' },
    { rule: 'id', selector: 'h1', reason: 'no_value' },
  ]);
});

test('what is not found is an error if it is required', () => {
  expect(() => extracted({ a: 'h1', b: { selector: '.price', required: true } })).toThrow(
    expect.objectContaining({ obstacle: 'required', message: 'b' }) as Error,
  );
});

test.each([
  ['no rules', {}],
  ['an invalid selector', { a: 'h1[' }],
  ['an unknown pseudo-class', { a: 'h1:sometimes' }],
  ['an invalid XPath', { a: '//h1[' }],
  ['an unknown output', { a: { selector: 'h1', output: 'markdown' } }],
  ['an unknown field', { a: { selector: 'h1', typ: 'list' } }],
  ['no selector', { a: { output: 'text' } }],
  ['an attribute beside an output', { a: { selector: 'a@href', output: 'html' } }],
  ['more than 200 rules', Object.fromEntries(Array.from({ length: 201 }, (_, n) => [`r${n}`, 'h1']))],
])('%s is refused', (_, rules) => expect(ExtractRules.safeParse(rules).success).toBe(false));

test('a megabyte and 50 rules take far less than the time there is', () => {
  const rows = Array.from(
    { length: 2_000 },
    (_, n) => `<div class="row r${n}"><a href="/${n}">Name ${n}</a><p>Words ${n}</p></div>`,
  );
  const rules = Object.fromEntries(
    Array.from({ length: 50 }, (_, n) => [`r${n}`, n % 2 === 0 ? `//div[@class='row r${n}']/a` : `.r${n} a`]),
  );
  const html = `<body>${rows.join('')}<p>${'x'.repeat(900_000)}</p></body>`;
  expect(html.length).toBeGreaterThan(1_000_000);
  const start = performance.now();
  expect(extracted(rules, html).extractReport).toEqual([]);
  const ms = performance.now() - start;
  expect(ms).toBeLessThan(5_000);
});
