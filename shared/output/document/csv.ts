import { parse } from 'csv-parse/sync';
import { NotConvertible } from '../../contract/scrape/not-convertible.ts';
import { decodeHtml } from '../../html/decode-html.ts';
import { escaped, pageOf, tableOf } from './html.ts';
import type { Reading, Wanted } from './reading.ts';

/** Where two fit alike, commas are more often of numbers. */
const DELIMITERS = [';', '\t', '|', ','] as const;
/** What Excel writes and reads before the first line. */
const NAMED_DELIMITER = /^\ufeff?sep=(.)(?:\r\n?|\n)/i;
const SAMPLE_CHARS = 20_000;
const SAMPLE_LINES = 20;

/** Reads values that are separated by commas, semicolons, tabs or bars as a table. */
export function readCsv(bytes: Uint8Array, { contentType }: Wanted): Reading {
  const whole = decodeHtml(bytes, contentType);
  const [line = '', named] = NAMED_DELIMITER.exec(whole) ?? [];
  const text = whole.slice(line.length);
  const delimiter = named ?? (/tab-separated/i.test(contentType ?? '') ? '\t' : delimiterOf(text));
  try {
    const rows = parse(text, {
      bom: true,
      delimiter,
      // A quote after a space quotes too.
      ltrim: delimiter !== '\t',
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

/** The delimiter that splits the most lines into the same number of values, and into the most. */
function delimiterOf(text: string): string {
  const lines = text
    .slice(0, SAMPLE_CHARS)
    .replaceAll(/"[^"]*"/g, '')
    .split(/\r\n?|\n/)
    .slice(0, SAMPLE_LINES);
  const scored = DELIMITERS.map((delimiter) => {
    const counts = Map.groupBy(lines, (line) => line.split(delimiter).length - 1);
    counts.delete(0);
    const scores = [...counts].map(([count, alike]) => alike.length * 1_000 + count);
    return { delimiter, score: Math.max(0, ...scores) };
  });
  const best = scored.reduce((most, each) => (each.score > most.score ? each : most));
  return best.score > 0 ? best.delimiter : ',';
}
