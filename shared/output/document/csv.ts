import { parse } from 'csv-parse/sync';
import { NotConvertible } from '../../contract/scrape/not-convertible.ts';
import { decodeHtml } from '../../html/decode-html.ts';
import { escaped, pageOf, tableOf } from './html.ts';
import type { Reading, Wanted } from './reading.ts';

const DELIMITERS = [',', ';', '\t', '|'] as const;
const SAMPLE_CHARS = 20_000;
const SAMPLE_LINES = 20;

/** Reads values that are separated by commas, semicolons, tabs or bars as a table. */
export function readCsv(bytes: Uint8Array, { contentType }: Wanted): Reading {
  const text = decodeHtml(bytes, contentType);
  const delimiter = /tab-separated/i.test(contentType ?? '') ? '\t' : delimiterOf(text);
  try {
    const rows = parse(text, {
      bom: true,
      delimiter,
      relaxColumnCount: true,
      relaxQuotes: true,
      skipEmptyLines: true,
    });
    const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
    const cells = rows.map((row) =>
      Array.from({ length: width }, (_, at) => ({
        html: escaped(row[at] ?? '').replaceAll(/\r?\n/g, '<br>'),
      })),
    );
    return { html: pageOf(tableOf(cells)), kind: 'text', pages: 1, read: 1 };
  } catch {
    throw new NotConvertible('broken', 'CSV');
  }
}

/** The delimiter that splits most of the first lines into the same number of values, and into the most. */
function delimiterOf(text: string): string {
  const lines = text
    .slice(0, SAMPLE_CHARS)
    .replaceAll(/"[^"]*"/g, '')
    .split(/\r?\n/)
    .slice(0, SAMPLE_LINES);
  const scored = DELIMITERS.map((delimiter) => {
    const counts = lines.filter((line) => line !== '').map((line) => line.split(delimiter).length - 1);
    const [first = 0] = counts;
    const same = counts.filter((count) => count === first).length;
    return { delimiter, score: first === 0 ? 0 : same * 1_000 + first };
  });
  return scored.reduce((best, each) => (each.score > best.score ? each : best)).delimiter;
}
