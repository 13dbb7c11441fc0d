import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { stages } from '../../infra/stages.ts';

const page = readFileSync(new URL('../../docs/cost.md', import.meta.url), 'utf8');
const numberOf = (text = '') => Number(text.replace(/[*,]/g, ''));
const rowsOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => /^\|.*\d.*\|$/.test(line))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );

const section = (title: string) => rowsOf((page.split(`\n## ${title}\n`)[1] ?? '').split('\n## ')[0] ?? '');
const [sums = [], ...scrapes] = section('A million scrapes').toReversed();
const [PLAIN, RENDERED_JOB] = [0, 3];

test.each(sums.slice(2).map((sum, column) => [column + 1, sum, column]))(
  'the sum of column %i of a million scrapes is calculated correctly',
  (_, sum, column) => {
    const costs = scrapes.map(([, price, ...amounts]) => numberOf(amounts[column]) * numberOf(price));
    expect(costs.reduce((all, cost) => all + cost, 0).toFixed(2)).toBe(numberOf(sum).toFixed(2));
  },
);

test('the months of three operators are added up correctly', () => {
  const [sum = [], ...parts] = section('A month of three operators').toReversed();
  for (const column of [1, 2, 3]) {
    const all = parts.reduce((total, row) => total + numberOf(row[column]), 0);
    expect(all.toFixed(2)).toBe(numberOf(sum[column]).toFixed(2));
  }
  // 0.3 and 0.1 million of the agent, 10 and 1 million of the data set.
  const of = (column: number) => numberOf(sums[column]);
  expect((0.3 * of(2) + 0.1 * of(3)).toFixed(2)).toBe('3.88');
  expect((10 * of(8) + of(9)).toFixed(2)).toBe('42.29');
});

const [idle, firewalls] = ['An idle stack costs', 'In `prod` the firewalls add'].map((title) => {
  const [, text = ''] = page.split(title);
  const [table = ''] = /^\|.*\n(\|.*\n)+/m.exec(text) ?? [];
  return rowsOf(table).filter(([what]) => what !== 'what');
});

test.each([
  ['an idle stack', idle],
  ['the firewalls', firewalls],
])('the rows and the total of %s are calculated correctly', (_, rows = []) => {
  const [sum, ...parts] = rows.toReversed();
  for (const [what, amount, price, cost] of parts)
    expect((numberOf(amount) * numberOf(price)).toFixed(2), what).toBe(cost);
  expect(parts.length).toBeGreaterThan(1);
  expect(parts.reduce((all, cells) => all + numberOf(cells[3]), 0)).toBeCloseTo(numberOf(sum?.[3]), 2);
});

test('docs/deploy.md quotes the sums of this page', () => {
  const total = (rows: string[][] = []) => numberOf(rows.at(-1)?.[3]);
  const [dev, prod] = [total(idle), total(idle) + total(firewalls)];
  const unused = (idle ?? [])
    .filter(([what = '']) => what.startsWith('Metrics'))
    .reduce((all, cells) => all + numberOf(cells[3]), -0.3);
  const [plain, rendered] = [PLAIN, RENDERED_JOB].map((column) => numberOf(sums[column + 2]));
  const deploy = readFileSync(new URL('../../docs/deploy.md', import.meta.url), 'utf8');
  const [, quoted = ''] = deploy.split('## What it costs to have it');
  const text = (quoted.split('\n## ')[0] ?? '').replaceAll('\n', ' ');
  expect(text).toContain(
    `${dev.toFixed(2)} USD a month for an idle \`dev\` stack, and ${prod.toFixed(2)} for \`prod\``,
  );
  expect(text).toContain(`While nobody calls, ${unused.toFixed(2)} less`);
  expect(text).toContain(`from ${plain} USD plain to ${rendered} rendered as jobs`);
});

test('the rows and the total of the dashboard are calculated correctly', () => {
  const [sum, ...parts] = section('The dashboard').toReversed();
  expect(parts).toHaveLength(6);
  for (const [what, amount, price, cost] of parts)
    expect((numberOf(amount) * numberOf(price) * 10_000).toFixed(2), what).toBe(cost);
  expect(parts.reduce((all, cells) => all + numberOf(cells[3]), 0)).toBeCloseTo(numberOf(sum?.[3]), 2);
});

test('the page prices the memory sizes that are deployed', () => {
  const sizes = scrapes.flatMap(([what = '', price]) => {
    const [, name, gigabytes, arm] = /^`(\w+)`, ms × ([\d.]+) GB(, arm64)?$/.exec(what) ?? [];
    return name === undefined
      ? []
      : [{ name, gigabytes: Number(gigabytes), isArm: arm !== undefined, price }];
  });
  expect(sizes.map(({ name }) => name).sort()).toEqual(['browser', 'jobs', 'scraper', 'worker']);
  for (const { name, gigabytes, isArm, price } of sizes) {
    expect(gigabytes * 1024).toBe(stages.dev.memory[name as keyof typeof stages.dev.memory]);
    expect(gigabytes * 1_000 * (isArm ? 0.000_013_333_4 : 0.000_016_666_7)).toBeCloseTo(numberOf(price), 6);
  }
});
