import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';
import { convert } from '../shared/output/convert.ts';
import { openRenderer } from './rendered.ts';
import { measureRules } from './rules.ts';

/** The truth about a page, as the Web Content eXtraction Benchmark has it: arXiv 2605.21097. */
const Truth = z.object({
  url: z.string(),
  page_type: z.string(),
  main_content: z.string(),
  with: z.array(z.string()),
  without: z.array(z.string()),
});

type Row = { id: string; type: string; f1: number; ms: number; kept: number[]; left: number[] };

const { values } = parseArgs({
  options: { corpus: { type: 'string' }, rendered: { type: 'boolean' }, every: { type: 'string' } },
});
const { corpus, rendered = false, every = '1' } = values;
if (!corpus)
  throw new Error(
    'Usage: npm run bench:extraction -- --corpus FOLDER [--rendered] [--every N], with html/ and truth/ in it',
  );

console.table(measureRules());

await using renderer = rendered ? await openRenderer() : undefined;
const names = (await readdir(join(corpus, 'truth'))).toSorted();
const rows: Row[] = [];
const renderedRows: Row[] = [];
const failed: string[] = [];
for (const [index, name] of names.entries()) if (index % Number(every) === 0) await measure(name);
const types = [...new Set(rows.map(({ type }) => type))].sort();
const times = rows.map(({ ms }) => ms).sort((a, b) => a - b);
const at = (share: number) => Math.round(times[Math.floor((times.length - 1) * share)] ?? 0);

// The thresholds were chosen on the pages with even numbers; the others show whether they hold elsewhere.
const isTuned = ({ id }: Row) => Number(id) % 2 === 0;
console.table({
  all: figures(rows),
  tuned: figures(rows.filter(isTuned)),
  untuned: figures(rows.filter((row) => !isTuned(row))),
});
if (rendered) console.table({ plain: figures(rows), rendered: figures(renderedRows) });
console.log(
  JSON.stringify({
    pages: rows.length,
    failed: failed.length,
    ms_p50: at(0.5),
    ms_p95: at(0.95),
    ms_max: at(1),
  }),
);

/** Every type of page weighs alike. */
function figures(some: readonly Row[]): Record<string, number> {
  const means = types.map((type) => mean(some.filter((row) => row.type === type).map(({ f1 }) => f1)));
  return {
    f1: rounded(mean(means)),
    with: rounded(mean(some.flatMap(({ kept }) => kept))),
    without: rounded(mean(some.flatMap(({ left }) => left))),
    ...Object.fromEntries(types.map((type, index) => [type, rounded(means[index] ?? 0)])),
  };
}

async function measure(name: string): Promise<void> {
  const id = name.replace('.json', '');
  const truth = Truth.parse(JSON.parse(await readFile(join(corpus ?? '', 'truth', name), 'utf8')));
  const source = gunzipSync(await readFile(join(corpus ?? '', 'html', `${id}.html.gz`)));
  rows.push(measured(id, truth, source));
  const page = await renderer?.render(id, source);
  if (renderer && !page) failed.push(id);
  // A page that fails has no words.
  if (renderer) renderedRows.push(measured(id, truth, page ?? Buffer.from('')));
}

function measured(id: string, truth: z.infer<typeof Truth>, body: Uint8Array): Row {
  const start = performance.now();
  const page = { body, contentType: 'text/html', url: truth.url };
  const { text = '' } = convert({ ...page, outputs: ['text'], scope: 'auto' });
  const ms = performance.now() - start;
  const has = (snippet: string) => flat(text).includes(flat(snippet));
  return {
    id,
    type: truth.page_type,
    f1: wordF1(text, truth.main_content),
    ms,
    kept: truth.with.map((snippet) => Number(has(snippet))),
    left: truth.without.map((snippet) => Number(!has(snippet))),
  };
}

/** Of the multisets of words. */
function wordF1(got: string, wanted: string): number {
  const [a, b] = [wordsOf(got), wordsOf(wanted)];
  if (a.length + b.length === 0) return 1;
  const counts = new Map<string, number>();
  for (const word of b) counts.set(word, (counts.get(word) ?? 0) + 1);
  const hits = a.filter((word) => {
    const count = counts.get(word) ?? 0;
    counts.set(word, count - 1);
    return count > 0;
  });
  return (2 * hits.length) / (a.length + b.length);
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
}

function flat(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / Math.max(1, numbers.length);
}

function rounded(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
