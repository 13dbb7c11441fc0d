import { expect, test } from 'vitest';
import { convertPage } from '../../shared/output/convert-page.ts';
import { xlsxOf } from '../fixtures/documents/office.ts';

async function markdownOf(body: Buffer, contentType: string): Promise<string | undefined> {
  const url = 'https://example.com/a';
  const { markdown } = await convertPage({ body, contentType, url, outputs: ['markdown'], scope: 'auto' });
  return markdown?.trim();
}

test.each<[string, string, string]>([
  ['[h]:mm', '1.5', '36:00:00'],
  ['[h]:mm:ss', '1.2534722222222223', '30:05:00'],
  ['[mm]:ss', '0.1', '02:24:00'],
  ['[h]:mm', '-0.5', '-0.5'],
  ['00000', '501', '00501'],
  ['00000', '0.5', '0.5'],
  ['00000', '123456789', '123456789'],
  ['yyyy-mm-dd', '1', '1900-01-01'],
  ['yyyy-mm-dd', '59', '1900-02-28'],
  ['yyyy-mm-dd', '61', '1900-03-01'],
  ['hh:mm', '0.25', '06:00:00'],
])('a number that is formatted as %s is shown: %s as %s', async (format, value, shown) => {
  const rows = `<row><c s="4"><v>${value}</v></c></row>`;
  const book = xlsxOf([{ name: 'A', rows }], [], [format]);
  expect(await markdownOf(book, 'application/zip')).toBe(`## A\n\n${shown}`);
});

test('a link of joined cells leads to the part that it names', async () => {
  const after =
    '<mergeCells><mergeCell ref="A1:B1"/></mergeCells><hyperlinks><hyperlink ref="A1:B1" r:id="l" location="part"/></hyperlinks>';
  const rows = '<row r="1"><c r="A1" t="str"><v>Site</v></c></row>';
  expect(await markdownOf(xlsxOf([{ name: 'A', rows, after }]), 'application/zip')).toContain(
    '[Site](https://example.org/#part)',
  );
});

test.each<[string, string]>([
  ['a line that names the delimiter', 'sep=;\r\nname;price\r\nPear;1,50\r\n'],
  ['spaces before quotes', 'name, price\nPear, "1,50"\n'],
])('values with %s are a table', async (_, text) => {
  expect(await markdownOf(Buffer.from(text), 'text/csv')).toBe(
    '| name | price |\n| --- | --- |\n| Pear | 1,50 |',
  );
});

test.each<[string, string]>([
  ['in as many places as delimiters', 'item;price, EUR\nPear;1,50\nPlum;2,50\n'],
  ['in lines that end as on old systems', 'item;price\rPear, a;1,50\rPear, b;1,50\rPear;1,50\r'],
])('decimal commas %s do not divide values', async (_, text) => {
  expect(await markdownOf(Buffer.from(text), 'text/csv')).toContain('| Pear | 1,50 |');
});

test('a title above values does not hide their delimiter', async () => {
  const text = 'Report of 2020\n\nname;kg;price\nPear;1,5;2,0\nPlum;2,5;3,0\n';
  expect(await markdownOf(Buffer.from(text), 'text/csv')).toContain('| Pear | 1,5 | 2,0 |');
});

test('values in UTF-16 need no byte order mark if their type says so', async () => {
  const text = Buffer.from('name;price\nBirne ü;1\n', 'utf16le');
  const table = '| name | price |\n| --- | --- |\n| Birne ü | 1 |';
  expect(await markdownOf(text, 'text/csv; charset=utf-16')).toBe(table);
  expect(await markdownOf(Buffer.from(text).swap16(), 'text/csv; charset="UTF-16BE"')).toBe(table);
});
