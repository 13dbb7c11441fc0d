import { expect, test } from 'vitest';
import { convert } from '../../shared/output/convert.ts';
import { converted, PAGE_URL, textOf } from '../support/world/converted.ts';

test('a page with 20,000 nested elements has its text', () => {
  const html = `${'<div>'.repeat(18_000)}deep${'</div>'.repeat(18_000)}<p>after`;
  expect(textOf(html)).toBe('deep\n\nafter');
});

test('a page with a hundred thousand links has them all', () => {
  const links = Array.from({ length: 100_000 }, (_, n) => `<a href="/${n}">${n}</a>`).join('\n');
  expect(converted(links, { outputs: ['links'] }).links).toHaveLength(100_000);
}, 60_000);

/** More arguments than a function takes. */
const MANY = 150_000;
test.each([
  ['paragraphs', '<p>w</p>'.repeat(MANY), `w${'\n\nw'.repeat(MANY - 1)}`],
  [
    'entries of a list beside its items',
    `<ul><li>w<ul>${'<li>w'.repeat(MANY)}`,
    `- w${'\n  - w'.repeat(MANY)}`,
  ],
  ['paragraphs in a term', `<dl><dt>${'<p>w'.repeat(MANY)}`, `w${'\n\nw'.repeat(MANY - 1)}`],
  ['words in bold', `<p>${'<b>w</b>'.repeat(MANY)}`, 'w'.repeat(MANY)],
])(
  'a page has very many %s',
  (_, html, text) => {
    expect(textOf(html) === text).toBe(true);
  },
  60_000,
);

test.each([
  ['of more than 20 MB', '<p>'.padEnd(20_000_001, 'x'), 'memory'],
  ['of more than 500,000 elements', '<br>'.repeat(500_001), 'memory'],
  ['nested 100,000 deep', '<div>'.repeat(100_000), 'depth'],
])('a page %s is refused before it fills the memory', (_, html, obstacle) => {
  expect(() => textOf(html)).toThrow(expect.objectContaining({ obstacle }) as Error);
});

test('a page of many awkward characters is read in linear time', () => {
  for (const part of ['[', '_', '`', '*', '<', '&', '<br>', '<!--', '| ', '# ', '\n> '])
    expect(textOf(`<p>a${part.repeat(50_000)}b`)).toContain('a');
});

test.each([
  ['no body', '<html><head><title>T</title></head>', ''],
  ['nothing', '', ''],
  ['text alone', 'just words', 'just words'],
  ['a fragment', '<p>a</p><p>b', 'a\n\nb'],
  ['frames', '<frameset><frame src="/a"><noframes><p>No frames</p></noframes></frameset>', 'No frames'],
  [
    'XHTML',
    '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body><p>a<br/>b</p></body></html>',
    'a\nb',
  ],
  ['two bodies', '<body><p>a</body><body><p>b</body>', 'a\n\nb'],
  ['unclosed elements', '<ul><li>a<li>b<table><tr><td>c', '- a\n- b\n\n  c'],
  ['text from right to left', '<html dir="rtl"><p>שלום עולם', 'שלום עולם'],
  ['null characters', '<p>a\0b', 'ab'],
  ['surrogates that stand alone', '<p>&#xD800;a', '\uFFFDa'],
])('a page with %s', (_, html, text) => expect(textOf(html)).toBe(text));

const german = '<p>Größe';
const latin = Buffer.from(german, 'latin1');
const of = (body: Uint8Array, contentType: string) =>
  convert({ body, contentType, url: PAGE_URL, outputs: ['text'], scope: 'full' }).text?.trim();
/** Behind its head, in windows-1251. */
const cyrillic = (head: string) =>
  Buffer.concat([Buffer.from(`${head}<p>`), Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2])]);
const japanese = Buffer.from([0x3c, 0x70, 0x3e, 0x93, 0xfa, 0x96, 0x7b]);

test.each([
  ['is that of the header', latin, 'text/html; charset=iso-8859-1', 'Größe'],
  [
    'is that of the page',
    Buffer.concat([Buffer.from('<meta charset="shift_jis">'), japanese]),
    'text/html',
    '日本',
  ],
  [
    'is that of a long declaration',
    Buffer.concat([
      Buffer.from('<meta http-equiv="Content-Type" content="text/html; charset=Shift_JIS">'),
      japanese,
    ]),
    'text/html',
    '日本',
  ],
  ['is UTF-8 without a declaration', Buffer.from(german), 'text/html', 'Größe'],
  ['is Western without a declaration', latin, 'text/html', 'Größe'],
  ['is UTF-8 if the header is wrong', Buffer.from(german), 'text/html; charset=iso-8859-1', 'Größe'],
  ['is Western if it cannot be UTF-8', latin, 'text/html; charset=utf-8', 'Größe'],
  ['is that of a mark', Buffer.from(`\ufeff${german}`, 'utf16le'), 'text/html; charset=utf-8', 'Größe'],
  ['is guessed if it is unknown', Buffer.from(german), 'text/html; charset=klingon', 'Größe'],
  [
    'is not that of a comment',
    cyrillic('<!-- <meta charset="gbk"> --><meta charset="windows-1251">'),
    'text/html',
    'Привет',
  ],
  [
    'is not that of a description',
    cyrillic('<meta content="charset=gbk"><meta charset="windows-1251">'),
    'text/html',
    'Привет',
  ],
  [
    'is the first one that is known',
    cyrillic('<meta charset="none"><meta charset="windows-1251">'),
    'text/html',
    'Привет',
  ],
  [
    'may be declared late in the head',
    cyrillic(`<head><style>${'a{}'.repeat(2_000)}</style><meta charset="windows-1251"></head>`),
    'text/html',
    'Привет',
  ],
])('the encoding: %s', (_, bytes, contentType, text) => expect(of(bytes, contentType)).toBe(text));
