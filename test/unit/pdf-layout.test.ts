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

/** Cells at these places, aligned to their right but for the first. */
const tableOf = (rows: readonly (readonly string[])[], places: readonly number[], top: number): Text[] =>
  rows.flatMap((row, at) =>
    row.map((text, column) => {
      const place = places[column] ?? 0;
      return { text, x: column === 0 ? place : place - widthOf(text, 10), y: top - at * 16 };
    }),
  );

const asMarkdown = (rows: readonly (readonly string[])[]) => {
  const [head, ...others] = rows.map((row) => `| ${row.join(' | ')} |`);
  return [head, `| ${(rows[0] ?? []).map(() => '---').join(' | ')} |`, ...others].join('\n');
};

test('losses in brackets and dashes for nothing are cells of their own', async () => {
  const rows = [
    ['USD million', '2019', '2020', '2021'],
    ['Revenue', '1,200', '1,350', '1,410'],
    ['Cost of goods sold', '(700)', '(810)', '(86)'],
    ['Interest', '-', '-', '(5)'],
  ];
  const { markdown } = await read(tableOf(rows, [50, 220, 265, 310], 700));
  expect(markdown.trim()).toBe(asMarkdown(rows));
});

test('items of a list keep their marks in the second of two columns', async () => {
  const column = (x: number, seed: number) =>
    [0, 1, 2, 3, 4].flatMap((at) => [
      { text: '-', x, y: 700 - at * 14 },
      { text: wordsOf(4, seed + at).join(' '), x: x + 18, y: 700 - at * 14 },
    ]);
  const { markdown } = await read([...column(50, 1), ...column(330, 20)]);
  expect(markdown.match(/^[-*] /gm)).toHaveLength(10);
  expect(markdown).not.toContain('|');
});

test('tables one above the other are tables of their own', async () => {
  const plans = [
    ['Plan', 'Basic', 'Team'],
    ['Users', '1', '20'],
    ['Price', '$0', '$29'],
  ];
  const invoice = [
    ['Invoice', '2024-001', '2024-01-05'],
    ['Customer', 'Ada', '2024-02-05'],
  ];
  const texts = [...tableOf(plans, [50, 180, 240], 700), ...tableOf(invoice, [90, 225, 320], 600)];
  expect((await read(texts)).markdown.trim()).toBe(`${asMarkdown(plans)}\n\n${asMarkdown(invoice)}`);
});

test('a heading between tables is in neither', async () => {
  const first = [
    ['Plan', 'Basic', 'Team'],
    ['Users', '1', '20'],
  ];
  const second = [
    ['Year', '2023', '2024'],
    ['Sales', '(7)', '20'],
  ];
  const heading = { text: 'Sales', x: 50, y: 660, size: 14 };
  const tables = [...tableOf(first, [50, 180, 240], 700), ...tableOf(second, [50, 180, 240], 636)];
  expect((await read([...tables, heading])).markdown.trim()).toBe(
    `${asMarkdown(first)}\n\n# Sales\n\n${asMarkdown(second)}`,
  );
});
