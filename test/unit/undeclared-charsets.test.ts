import iconv from 'iconv-lite';
import { describe, expect, test } from 'vitest';
import { charsetOf, textIn } from '../../shared/html/charsets.ts';
import { decodeHtml } from '../../shared/html/decode-html.ts';
import { undeclaredPages } from '../support/browser/undeclared-pages.ts';

const pages = undeclaredPages();
const RUSSIAN = 'Привет мир это обычная страница на русском языке';
const UTF8 = Buffer.from('<p>Größe — Привет');
const cyrillic = (text: string) => iconv.encode(text, 'windows-1251');
const bytesOf = (head: string, text: string) => Buffer.concat([Buffer.from(head), cyrillic(text)]);
const filler = (length: number) => 'x'.repeat(length);

test('a page that declares no charset reads as in Chromium in more than 50 cases of more than 20 languages and charsets', () => {
  expect(pages.length).toBeGreaterThan(50);
  expect(new Set(pages.map(({ language }) => language)).size).toBeGreaterThan(20);
  expect(new Set(pages.map(({ charset }) => charset)).size).toBeGreaterThan(20);
});

test.each(pages)('a page that declares no charset reads as in Chromium: $name', ({ bytes, chromium }) => {
  expect(decodeHtml(bytes, 'text/html')).toBe(textIn(bytes, chromium));
});

test('a page that declares no charset reads as in Chromium behind a long head in English', () => {
  const head = `<head><script>${'let a = 1;'.repeat(20_000)}</script></head><p>`;
  expect(decodeHtml(bytesOf(head, RUSSIAN), 'text/html')).toBe(head + RUSSIAN);
});

test('a page that declares no charset reads as in Chromium as plain text too, where a meta is only text', () => {
  const head = '<meta charset=gbk>';
  expect(decodeHtml(bytesOf(head, RUSSIAN), 'text/plain')).toBe(head + RUSSIAN);
});

test.each([
  ['in a meta', '<meta charset=koi8-r><p>', 'koi8-r'],
  ['in a meta with a slash', '<meta/charset=koi8-r><p>', 'koi8-r'],
  ['with spaces around its label', '<meta charset=" koi8-r "><p>', 'koi8-r'],
  [
    'with odd spacing',
    `<META HTTP-EQUIV = "content-TYPE" content=" text/html ;  charset = ' koi8-r ' "><p>`,
    'koi8-r',
  ],
  ['behind one that is unknown', '<meta charset="nope"><meta charset=koi8-r><p>', 'koi8-r'],
  ['behind one that is empty', '<meta charset=""><meta charset=koi8-r><p>', 'koi8-r'],
  ['in noscript', '<noscript><meta charset=koi8-r></noscript><p>', 'koi8-r'],
  ['at the edge of the first 1,024 bytes', `<body>${filler(1_010)}<meta charset=koi8-r><p>`, 'koi8-r'],
  ['late in the head', `<head><style>${filler(90_000)}</style><meta charset=koi8-r></head><p>`, 'koi8-r'],
  [
    'behind a script with tags',
    `<head><script>${'"<body>"'.repeat(300)}</script><meta charset=koi8-r><p>`,
    'koi8-r',
  ],
  ['in an XML declaration', `<?xml version="1.0" encoding='koi8-r'?><p>`, 'koi8-r'],
  ['before an XML declaration', '<?xml version="1.0" encoding="koi8-r"?><meta charset=ibm866><p>', 'ibm866'],
  ['as x-user-defined, which is Western', '<meta charset=x-user-defined><p>', 'windows-1252'],
  ['as a charset that browsers refuse', '<meta charset=iso-2022-kr><p>', 'replacement'],
  ['as ISO-8859-16', '<meta charset=iso-8859-16><p>', 'iso-8859-16'],
])('the declaration of a page counts: %s', (_, head, charset) => {
  const bytes = bytesOf(head, RUSSIAN);
  expect(charsetOf(charset)).toBe(charset);
  expect(decodeHtml(bytes, 'text/html')).toBe(textIn(bytes, charset));
});

test.each([
  ['in a comment', '<!-- <meta charset=gbk> --><p>'],
  ['in an attribute', '<p title="<meta charset=gbk>">'],
  ['of a script or a link', '<script charset=gbk></script><link charset=gbk><p>'],
  ['in a script', '<script>"<meta charset=gbk>"</script><p>'],
  ['in a title', '<title><meta charset=gbk></title><p>'],
  ['in a meta without http-equiv', '<meta content="text/html; charset=gbk"><p>'],
  ['in an end tag', '</meta charset=gbk><p>'],
  ['in another element', '<metadata charset=gbk><p>'],
  ['with a quote that does not end', `<meta http-equiv=content-type content="text/html; charset='gbk"><p>`],
  ['in the body behind 1,024 bytes', `<body>${filler(1_100)}<meta charset=gbk><p>`],
  ['in an XML declaration that is not the first', ' <?xml version="1.0" encoding="gbk"?><p>'],
])('the declaration of a page counts unless it is %s', (_, head) => {
  expect(decodeHtml(bytesOf(head, RUSSIAN), 'text/html')).toBe(head + RUSSIAN);
});

test.each([
  ['the first charset', 'text/html; charset=koi8-r; charset=gbk', 'koi8-r'],
  ['a quoted one', 'text/html; charset="koi8-r"', 'koi8-r'],
  ['no other parameter', 'text/html; xcharset=gbk', 'windows-1251'],
  ['no charset in single quotes', "text/html; charset='gbk'", 'windows-1251'],
  ['one that browsers refuse', 'text/html; charset=hz-gb-2312', 'replacement'],
  ['x-user-defined', 'text/html; charset=x-user-defined', 'x-user-defined'],
])('the declaration of a page counts in Content-Type: %s', (_, contentType, charset) => {
  const bytes = bytesOf('<p>', RUSSIAN);
  expect(decodeHtml(bytes, contentType)).toBe(textIn(bytes, charset));
});

describe('UTF-8', () => {
  const text = UTF8.toString();

  test.each([
    ['if nothing is declared', UTF8, 'text/html', text],
    [
      'whatever its meta says',
      Buffer.concat([Buffer.from('<meta charset=gbk>'), UTF8]),
      'text/html',
      `<meta charset=gbk>${text}`,
    ],
    [
      'if its meta says UTF-16',
      Buffer.concat([Buffer.from('<meta charset=utf-16le>'), UTF8]),
      'text/html',
      `<meta charset=utf-16le>${text}`,
    ],
    [
      'by its mark, whatever the header says',
      Buffer.concat([Buffer.from('\ufeff'), UTF8]),
      'text/html; charset=koi8-r',
      text,
    ],
    [
      'if it is cut off',
      Buffer.from(text.repeat(9)).subarray(0, -1),
      'text/html',
      `${text.repeat(9).slice(0, -1)}\ufffd`,
    ],
    [
      'with a broken byte',
      Buffer.concat([Buffer.from(text.repeat(9)), Buffer.from([0xff])]),
      'text/html',
      `${text.repeat(9)}\ufffd`,
    ],
  ])('is read %s', (_, bytes, contentType, read) => expect(decodeHtml(bytes, contentType)).toBe(read));

  test('is not assumed where the header says another charset of several bytes', () => {
    // "联通" in GBK is valid UTF-8 by chance.
    expect(decodeHtml(Buffer.from('c1aacda8', 'hex'), 'text/html; charset=gbk')).toBe('联通');
  });
});

test('UTF-16 without a mark is read if it begins with an XML declaration', () => {
  const text = '<?xml version="1.0"?><p>Größe Привет';
  expect(decodeHtml(Buffer.from(text, 'utf16le'), 'text/html')).toBe(text);
  expect(decodeHtml(Buffer.from(text, 'utf16le').swap16(), 'text/html')).toBe(text);
});

test('a page of 19 MB whose words come last is read in time', () => {
  const bytes = bytesOf(`<!--${filler(19_000_000)}--><p>`, RUSSIAN);
  const startedAt = performance.now();
  expect(decodeHtml(bytes, 'text/html').slice(-RUSSIAN.length)).toBe(RUSSIAN);
  expect(performance.now() - startedAt).toBeLessThan(30_000);
});
