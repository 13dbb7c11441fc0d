import { expect, test } from 'vitest';
import { convertPage } from '../../shared/output/convert-page.ts';
import { linesOf, pdfOf, type Text, widthOf } from '../fixtures/documents/pdf.ts';
import { wordsInOrder, wordsOf } from '../fixtures/documents/words.ts';

const URL = 'https://example.com/a.pdf';

async function read(texts: readonly Text[]): Promise<{ markdown: string; text: string }> {
  const outputs = ['markdown', 'text'] as const;
  const wanted = { contentType: 'application/pdf', url: URL, outputs, scope: 'auto' } as const;
  const { markdown = '', text = '' } = await convertPage({ body: pdfOf([{ texts }]), ...wanted });
  return { markdown, text };
}

const wordsIn = (texts: readonly Text[]) => texts.map(({ text }) => text).join(' ');

/** A text for each word, with equal gaps that fill the width, but for the last line. */
function justified(lines: readonly Text[], chars: number): Text[] {
  return lines.flatMap((line, at) => {
    const words = line.text.split(' ');
    const spare = widthOf('x'.repeat(chars), 10) - widthOf(words.join(''), 10);
    const gap = at === lines.length - 1 ? widthOf(' ', 10) : spare / Math.max(words.length - 1, 1);
    let { x } = line;
    return words.map((text) => {
      const placed = { ...line, text, x };
      x += widthOf(text, 10) + gap;
      return placed;
    });
  });
}

/** Lines of 38 characters, the second and later ones of each paragraph to the left of its first. */
function paragraphs(seed: number, x: number, top: number, counts: readonly number[]): Text[] {
  let y = top;
  return counts.flatMap((count, at) => {
    const lines = linesOf(wordsOf(count, seed + at), { x, top: y, chars: 36 });
    y -= lines.length * 12 + 12;
    return lines.map((line, place) => (place === 0 ? { ...line, x: x + 10 } : line));
  });
}

test.each([1, 2, 3, 4, 5, 6])('columns of justified lines %i are no table', async (seed) => {
  const columns = [50, 305].map((x, at) =>
    justified(linesOf(wordsOf(120, seed * 10 + at), { x, top: 700, chars: 38 }), 38),
  );
  const { markdown, text } = await read(columns.flat());
  expect(markdown).not.toContain('|');
  expect(wordsInOrder(wordsIn(columns.flat()), text)).toBeGreaterThanOrEqual(0.97);
});

test('a column that is longer than the one beside it is read to its end', async () => {
  const left = paragraphs(1, 50, 700, [60, 60, 60, 60]);
  const right = paragraphs(9, 305, 700, [40]);
  expect(wordsInOrder(wordsIn([...left, ...right]), (await read([...left, ...right])).text)).toBe(1);
});

test('a column that begins above the one beside it is read from its beginning', async () => {
  const left = paragraphs(1, 50, 640, [60, 60]);
  const right = paragraphs(9, 305, 700, [60, 60]);
  expect(wordsInOrder(wordsIn([...left, ...right]), (await read([...left, ...right])).text)).toBe(1);
});

test('a short line after columns follows both of them', async () => {
  const columns = [paragraphs(1, 50, 700, [60]), paragraphs(9, 305, 700, [60])].flat();
  const after = [{ text: 'Another section', x: 50, y: 520 }];
  const full = linesOf(wordsOf(60, 40), { x: 50, top: 500, chars: 80 });
  const all = [...columns, ...after, ...full];
  expect(wordsInOrder(wordsIn(all), (await read(all)).text)).toBe(1);
});

test('cells of several lines are cells of one row', async () => {
  const rows = [0, 1, 2].flatMap((at) => {
    const y = 700 - at * 42;
    const lines = linesOf(wordsOf(14, at + 1), { x: 150, top: y, chars: 40 }).slice(0, 3);
    return [{ text: `Item ${at}`, x: 50, y }, ...lines, { text: 'open', x: 450, y }];
  });
  const head = ['Name', 'Description', 'State'].map((text, at) => ({
    ...{ text, x: [50, 150, 450][at] ?? 0, y: 718 },
  }));
  const { markdown } = await read([...head, ...rows]);
  expect(markdown.split('\n').filter(Boolean)).toEqual([
    '| Name | Description | State |',
    '| --- | --- | --- |',
    ...[0, 1, 2].map(
      (at) => expect.stringMatching(new RegExp(`^\\| Item ${at} \\| .{60,} \\| open \\|$`)) as string,
    ),
  ]);
});

test('short lines above a table that is set in are no column of it', async () => {
  const items = ['one', 'two', 'three', 'four'].map((text, at) => ({ text, x: 50, y: 700 - at * 12 }));
  const names = ['Name', 'Apple', 'Pear with a name', 'Fig'];
  const cells = names.flatMap((text, at) => [
    { text, x: 200, y: 640 - at * 14 },
    { text: `c${at}`, x: 320, y: 640 - at * 14 },
  ]);
  const { markdown } = await read([...items, ...cells]);
  expect(markdown).toBe(
    'one two three four\n\n| Name | c0 |\n| --- | --- |\n| Apple | c1 |\n| Pear with a name | c2 |\n| Fig | c3 |\n',
  );
});
