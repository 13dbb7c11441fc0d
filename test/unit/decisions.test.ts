import { readFileSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';

const folder = new URL('../../docs/decisions/', import.meta.url);
const files = readdirSync(folder)
  .filter((name) => name !== 'README.md')
  .sort();
const index = readFileSync(new URL('README.md', folder), 'utf8');

/** The number, title, status and date of a record. */
function recordIn(file: string) {
  const text = readFileSync(new URL(file, folder), 'utf8');
  const head = /^# (\d+)\. (.+)\n\nStatus: (.+), \d{4}-\d\d-\d\d\n\n\S/.exec(text);
  const [, number, title, status] = head ?? [];
  return { file, number: Number(number), title, status };
}

const records = files.map(recordIn);
const rows = [...index.matchAll(/^\| (\d[\d, ]*?)\s*\| (?:\[(\d+)\]|the code)/gm)];
/** The numbers of records that were merged or dropped. */
const gone = rows.flatMap(([, numbers = '']) => numbers.split(', ').map(Number));

function slugOf(number: number, title = ''): string {
  const words = title
    .toLowerCase()
    .replace(/['.]/g, '')
    .replace(/[^a-z0-9]+/g, '-');
  return `${String(number).padStart(4, '0')}-${words}.md`;
}

test('each number from 1 on is a decision, or the index says once where it went', () => {
  const numbers = [...records.map(({ number }) => number), ...gone].sort((a, b) => a - b);
  expect(numbers).toEqual(numbers.map((_, at) => at + 1));
  const heirs = rows.flatMap(([, , heir]) => (heir === undefined ? [] : [Number(heir)]));
  expect(heirs.length).toBeGreaterThan(0);
  for (const heir of heirs) expect(records.map(({ number }) => number)).toContain(heir);
});

test.each(records)('the file name of $file follows its number and title', ({ file, number, title }) => {
  expect(file).toBe(slugOf(number, title));
});

test.each(records)('$file holds: what does not is deleted', ({ status }) => {
  expect(status).toBe('accepted');
});

test('the index lists every decision once, with its title', () => {
  const listed = [...index.matchAll(/^- \[(\d+)\. (.+)\]\((.+)\)$/gm)].map(([, number, title, file]) => ({
    file,
    number: Number(number),
    title,
  }));
  expect(listed.sort((a, b) => a.number - b.number)).toEqual(
    records.map(({ file, number, title }) => ({ file, number, title })),
  );
});
