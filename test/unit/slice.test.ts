import fc from 'fast-check';
import { expect, test } from 'vitest';
import { convert } from '../../shared/output/convert.ts';
import { sliceOf, sliceReader } from '../../shared/output/slice.ts';
import type { SliceRange } from '../../shared/contract/scrape/slice.ts';
import { extent } from '../support/world/extent.ts';

type Options = SliceRange & { isMarkdown: boolean };

const lengthOf = (text: string) => Array.from(text).length;

/** All parts of a text, each begun where the one before ended. */
function partsOf(text: string, options: Omit<Options, 'offset'>): string[] {
  const parts: string[] = [];
  for (let offset: number | undefined = 0; offset !== undefined;) {
    const slice = sliceOf(Buffer.from(text), { ...options, offset });
    expect(slice.totalChars).toBe(lengthOf(text));
    parts.push(slice.text);
    if (slice.nextOffset !== undefined) expect(slice.nextOffset).toBe(offset + lengthOf(slice.text));
    offset = slice.nextOffset;
  }
  return parts;
}

const markdown = (text: string, maxChars: number) => partsOf(text, { maxChars, isMarkdown: true });

const word = fc.constantFrom(
  'word',
  'Größe',
  '漢字かな',
  '👩‍👩‍👧‍👦',
  '😀',
  'e\u0301',
  'x'.repeat(90),
  'end.',
  '終わり。',
);
const line = fc.array(word, { minLength: 1, maxLength: 12 }).map((words) => words.join(' '));
const lines = fc.array(fc.oneof(line, fc.constant('')), { minLength: 1, maxLength: 12 });
const indented = (text: string, by: string) => text.replaceAll(/\n(?=.)/g, `\n${by}`);
const fenced = fc
  .tuple(fc.constantFrom('```', '````', '~~~'), fc.constantFrom('', 'js', 'c++'), lines)
  .map(([fence, language, code]) => `${fence}${language}\n${['code', ...code].join('\n')}\n${fence}`);
const table = fc
  .array(fc.tuple(line, line), { minLength: 1, maxLength: 8 })
  .map((rows) => ['| a | b |', '| --- | --- |', ...rows.map((row) => `| ${row.join(' | ')} |`)].join('\n'));
const list = fc
  .array(fc.oneof(line, fenced), { minLength: 1, maxLength: 5 })
  .map((items) => items.map((item) => `- ${indented(item, '  ')}`).join('\n'));
const quote = fc.oneof(line, fenced).map((text) => `> ${text.replaceAll('\n', '\n> ')}`);
const note = fenced.map((text) => `[^1]: ${indented(text, '    ')}`);
const block = fc.oneof(
  line,
  line.map((text) => `## ${text}`),
  fenced,
  table,
  list,
  quote,
  note,
);
const blocks = fc.array(block, { minLength: 1, maxLength: 12 });

test('the parts of Markdown are the whole, none longer than allowed, and end at the last block that fits', () => {
  fc.assert(
    fc.property(blocks, fc.integer({ min: 10, max: 400 }), (all, maxChars) => {
      const text = `${all.join('\n\n')}\n`;
      const ends = all.map((_, index) => lengthOf(`${all.slice(0, index + 1).join('\n\n')}\n\n`));
      const parts = markdown(text, maxChars);
      expect(parts.join('')).toBe(text);
      let offset = 0;
      for (const part of parts.slice(0, -1)) {
        const end = offset + lengthOf(part);
        const within = (to: number) => Array.from(text).slice(offset, to).join('');
        const fitting = ends.findLast((each) => each > offset && each <= offset + maxChars) ?? 0;
        expect(lengthOf(part)).toBeLessThanOrEqual(maxChars);
        if (within(fitting).trim() !== '') expect(end).toBe(fitting);
        else if (/\S.*\n/.test(within(offset + maxChars))) expect(within(end + 1)).toMatch(/\n.?$/su);
        if (within(offset + maxChars).trim() !== '') expect(part.trim()).not.toBe('');
        offset = end;
      }
    }),
    { numRuns: extent(30, 1_000) },
  );
});

test('the parts of Markdown are the same however the text arrives', () => {
  const options = { maxChars: fc.integer({ min: 1, max: 300 }), offset: fc.nat(500) };
  fc.assert(
    fc.property(blocks, fc.record(options), fc.integer({ min: 1, max: 9 }), (all, range, size) => {
      const bytes = Buffer.from(all.join('\n\n'));
      const reader = sliceReader({ ...range, isMarkdown: true });
      for (let start = 0; start < bytes.length; start += size)
        reader.read(bytes.subarray(start, start + size));
      expect(reader.end()).toEqual(sliceOf(bytes, { ...range, isMarkdown: true }));
    }),
  );
});

test('the parts of Markdown that begin inside of a block of code know that they do', () => {
  const code = ['```js', ...Array.from({ length: 40 }, (_, n) => `line ${n}\n`), '```'].join('\n');
  const text = `before\n\n${code}\n\nafter\n\n${'last '.repeat(10)}\n`;
  const parts = markdown(text, 100);
  expect(parts.join('')).toBe(text);
  expect(parts[0]).toBe('before\n\n');
  expect(parts.slice(1, -1).filter((part) => !part.endsWith('\n'))).toEqual([]);
  expect(parts.at(-2)).toMatch(/```\n\nafter\n\n$/);
});

test('the parts of Markdown cut a list that is too long outside of the code in it', () => {
  const item = '- ```\n  one\n\n  two\n  ```';
  const parts = markdown(`${[item, item, item].join('\n')}\n`, 40);
  expect(parts.map((part) => part.trimEnd())).toEqual([item, item, item]);
});

test('the parts of Markdown keep the rows of a table whole', () => {
  const row = `| ${'cell '.repeat(9)}| ${'other. '.repeat(5)}|`;
  const parts = markdown(`| a | b |\n| --- | --- |\n${`${row}\n`.repeat(9)}`, 200);
  for (const part of parts) expect(part).toMatch(/^\|.*\|\n$/s);
});

const SENTENCES = 'One is here. Two (is there.) Is three? ';

test.each([
  ['at a line', `${'a'.repeat(20)}. b\n${'c'.repeat(99)}`, `${'a'.repeat(20)}. b\n`],
  ['at a sentence', `${SENTENCES}${'d '.repeat(50)}`, SENTENCES],
  ['at a sentence that ends with it', `${'a'.repeat(38)}." ${'b'.repeat(60)}`, `${'a'.repeat(38)}."`],
  ['at a sentence in Chinese', `${'字'.repeat(30)}。${'字'.repeat(60)}`, `${'字'.repeat(30)}。`],
  ['at a word', `${'a'.repeat(30)} ${'b'.repeat(60)}`, `${'a'.repeat(30)} `],
  ['at a word that ends with it', `${'a'.repeat(40)} ${'b'.repeat(60)}`, 'a'.repeat(40)],
  ['between two characters', 'a'.repeat(99), 'a'.repeat(40)],
  ['between two emoji of several', `a${'👩‍👩‍👧‍👦'.repeat(20)}`, `a${'👩‍👩‍👧‍👦'.repeat(5)}`],
  ['inside of what never ends', `a${'\u0301'.repeat(200)}`, `a${'\u0301'.repeat(39)}`],
])('a block that is longer than its part is cut %s', (_, text, first) => {
  const parts = markdown(text, 40);
  expect([parts[0], parts.join('')]).toEqual([first, text]);
});

test('a block that is longer than its part is not cut if it is exactly as long', () => {
  const text = `${'One. '.repeat(7)}Two..`;
  expect(markdown(`${text}\n\nNext\n`, 40)[0]).toBe(text);
});

const of = (text: string, range: SliceRange) => sliceOf(Buffer.from(text), { ...range, isMarkdown: false });

test.each([5, 6, 100])(
  'a part that begins at %s, at or beyond the end, is empty, and nothing follows',
  (offset) => {
    expect(of('Hello', { offset, maxChars: 10 })).toEqual({ text: '', totalChars: 5 });
  },
);

test('a part of an empty text is empty', () => {
  expect(of('', { offset: 0, maxChars: 10 })).toEqual({ text: '', totalChars: 0 });
});

test('a part may begin and end between emoji, which count as one', () => {
  expect(of('😀😁😂🤣', { offset: 1, maxChars: 2 })).toEqual({
    text: '😁😂',
    totalChars: 4,
    nextOffset: 3,
  });
});

test('a part keeps a byte order mark in the text', () => {
  expect(of('\uFEFFab', { offset: 0, maxChars: 9 })).toEqual({ text: '\uFEFFab', totalChars: 3 });
});

test('a part of text takes a fence for words', () => {
  const text = '```\nshown as it is\n\nand never closed\n\nend';
  expect(of(text, { offset: 0, maxChars: 30 }).text).toBe('```\nshown as it is\n\n');
});

test('a part of blanks alone ends all the same', () => {
  expect(partsOf('\n'.repeat(50), { maxChars: 20, isMarkdown: true }).join('')).toBe('\n'.repeat(50));
});

test('parts of a page that was converted end outside of its code', () => {
  const code = '<pre><code class="language-js">one\n\ntwo `` three\n\n```\n\nfour</code></pre>';
  const html = `<main>${`<p>~~~ <code>a \`\` b</code> text</p>${code}<ul><li>${code}</li></ul><blockquote>${code}</blockquote>`.repeat(9)}</main>`;
  const page = { body: Buffer.from(html), contentType: 'text/html', url: 'https://example.com/' };
  const { markdown: text = '' } = convert({ ...page, outputs: ['markdown'], scope: 'full' });
  for (const part of markdown(text, 160).slice(0, -1)) {
    expect(part).toMatch(/\n\n$/);
    expect(part.match(/^[-> ]*````/gm)?.length ?? 0).toSatisfy((fences: number) => fences % 2 === 0);
  }
});
