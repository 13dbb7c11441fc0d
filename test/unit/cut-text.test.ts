import fc from 'fast-check';
import { expect, test } from 'vitest';
import { outlineOf, partOfText, tokensIn } from '../../clients/mcp/cut-text.ts';

function partsOf(text: string, maxTokens: number): string[] {
  const parts: string[] = [];
  for (let offset: number | undefined = 0; offset !== undefined;) {
    const part = partOfText(text, offset, maxTokens);
    parts.push(part.text);
    offset = part.nextOffset;
  }
  return parts;
}

test('a text ends before a heading, which begins the next part', () => {
  const text = `# One\n\n${'word '.repeat(50)}\n\n## Two\n\n${'word '.repeat(50)}`;
  expect(partsOf(text, 110).map((part) => part.slice(0, 6))).toEqual(['# One\n', '## Two']);
});

test.each([
  ['a paragraph', `${'a'.repeat(200)}\n\n${'b'.repeat(200)}`, `${'a'.repeat(200)}\n\n`],
  ['a word', 'word '.repeat(100), 'word '.repeat(60)],
  ['its budget, if it has no end', 'a'.repeat(400), 'a'.repeat(300)],
])('a text without headings ends at %s', (_, text, first) => {
  expect(partsOf(text, 100)[0]).toBe(first);
});

test('all parts joined are the text, and none has more tokens than allowed', () => {
  const piece = fc.oneof(fc.constantFrom('\n', '\n\n', '\n# A', ' ', 'word', '漢字', '😀'), fc.string());
  const texts = fc.array(piece, { maxLength: 300 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(texts, fc.integer({ min: 2, max: 100 }), (text, maxTokens) => {
      const parts = partsOf(text, maxTokens);
      expect(parts.join('')).toBe(text);
      for (const part of parts) expect(tokensIn(part)).toBeLessThanOrEqual(maxTokens);
    }),
    { numRuns: 300 },
  );
});

test('2 MB are divided in a moment', () => {
  const text = `## Title\n\n${'some words of a paragraph. '.repeat(20)}\n\n`.repeat(3_700);
  const parts = partsOf(text, 8_000);
  expect(parts.length).toBeGreaterThan(80);
  expect(parts.join('')).toBe(text);
});

test('an outline has the headings and their places', () => {
  expect(outlineOf('# A\n\ntext\n\n## B\n')).toEqual([
    { heading: '# A', offset: 0 },
    { heading: '## B', offset: 11 },
  ]);
});
