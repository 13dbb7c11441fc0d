import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const readme = read('README.md').replace(/\s+/g, ' ');

/** The cells after the first ones in a row of a table. */
function cells(page: string, ...first: string[]): string[] {
  const rows = page.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
  const row = rows.find((row) => first.every((cell, index) => row[index + 1] === cell)) ?? [];
  return row.slice(first.length + 1, -1);
}

test('the README states the costs of docs/cost.md', () => {
  const cost = read('docs/cost.md');
  const [, plain = '', rendered = ''] = cells(cost, '**Sum, USD**').map((cell) => cell.replaceAll('*', ''));
  const rounded = [plain, rendered].map((usd) => Math.round(Number(usd)));
  expect(readme).toContain(
    `about ${String(rounded[0])} USD for a million plain pages and ${String(rounded[1])} USD for a million rendered ones`,
  );
});

test('the README states the times of the last bench', () => {
  const [p50 = '', , ratio = ''] = cells(read('bench/NOTES.md'), '/spa', 'whole stack, rendered');
  expect(readme).toContain(`${p50} ms for a client-rendered page`);
  expect(readme).toContain(`${ratio} times raw Puppeteer`);
});

test('the summary of docs/performance.md agrees with the goals of the last run', () => {
  const page = read('docs/performance.md');
  const [, summary = ''] = /## In short\n(.*?)\n`npm run bench`/s.exec(page) ?? [];
  const [, goals = ''] = /<!-- bench -->\n\n```text\n(.*?)```/s.exec(page) ?? [];
  const numbers = summary.match(/\d+\.\d+/g) ?? [];
  expect(numbers.length).toBeGreaterThan(4);
  for (const number of numbers) expect(goals).toContain(number);
  const words = [
    'No goal is',
    'One goal is',
    'Two goals are',
    'Three goals are',
    'Four goals are',
    'Five goals are',
  ];
  expect(summary).toContain(`**${String(words[(goals.match(/^MISSED/gm) ?? []).length])} missed`);
});

test('package.json, the lockfile, the changelog, the README and the guide to deployment name the same version', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string };
  expect((JSON.parse(read('package-lock.json')) as { version: string }).version).toBe(version);
  expect(/^## \[(\d.*?)\] - \d{4}-\d\d-\d\d$/m.exec(read('CHANGELOG.md'))?.[1]).toBe(version);
  expect(readme).toContain(`version ${version},`);
  const named = [...read('docs/deploy.md').matchAll(/(?:ours|git merge) v(\S+)/g)].map(([, it]) => it);
  expect(named).toEqual([version, version]);
});
