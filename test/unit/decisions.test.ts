import { readFileSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';

const folder = new URL('../../docs/decisions/', import.meta.url);
const files = readdirSync(folder)
  .filter((name) => name !== 'README.md')
  .sort();

/** The number, title, status and date of a record. */
function recordIn(file: string) {
  const text = readFileSync(new URL(file, folder), 'utf8');
  const head = /^# (\d+)\. (.+)\n\nStatus: (.+), (\d{4}-\d\d-\d\d)\n\n\S/.exec(text);
  const [, number, title, status, date] = head ?? [];
  return { file, number: Number(number), title, status, date };
}

const records = files.map(recordIn);

function slugOf(number: number, title = ''): string {
  const words = title
    .toLowerCase()
    .replace(/['.]/g, '')
    .replace(/[^a-z0-9]+/g, '-');
  return `${String(number).padStart(4, '0')}-${words}.md`;
}

test('decisions are numbered from 1 without a gap', () => {
  expect(records.map(({ number }) => number)).toEqual(records.map((_, index) => index + 1));
});

test.each(records)('the file name of $file follows its number and title', ({ file, number, title }) => {
  expect(file).toBe(slugOf(number, title));
});

test.each(records)('$file has a known status', ({ status }) => {
  expect(status).toMatch(/^(accepted|superseded by \d+)$/);
});

test('the index lists every decision once, with its title, status and date', () => {
  const index = readFileSync(new URL('README.md', folder), 'utf8');
  const row = /^\| \[(\d+)\. (.+)\]\((.+)\)\s*\| (.+?)\s*\| (\d{4}-\d\d-\d\d)\s*\|$/gm;
  const listed = [...index.matchAll(row)].map(([, number, title, file, status, date]) => ({
    file,
    number: Number(number),
    title,
    status,
    date,
  }));
  expect(listed.sort((a, b) => a.number - b.number)).toEqual(records);
});
