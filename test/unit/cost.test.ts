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

const sections = page.split('\n### ').slice(1);

test.each(sections.map((text) => [text.split('\n')[0] ?? '', text]))(
  'the rows and the total of "%s" are calculated correctly',
  (_, text) => {
    const rows = rowsOf(text).filter((cells) => cells.length === 6);
    const [sum, ...parts] = rows.toReversed();
    for (const [what, , amount, , price, cost] of parts)
      expect((numberOf(amount) * numberOf(price)).toFixed(2), what).toBe(cost);
    const total = parts.reduce((all, cells) => all + numberOf(cells[5]), 0);
    expect(total).toBeCloseTo(numberOf(sum?.[5]), 2);
    expect(page.slice(0, page.indexOf('### '))).toContain(` ${String(sum?.[5]).replaceAll('*', '')} `);
  },
);

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
  const [plain, rendered] = ['At once, plain', 'Job, rendered'].map((title) => {
    const section = sections.find((text) => text.startsWith(`${title}\n`)) ?? '';
    return numberOf(rowsOf(section).at(-1)?.[5]);
  });
  const deploy = readFileSync(new URL('../../docs/deploy.md', import.meta.url), 'utf8');
  const [, quoted = ''] = deploy.split('## What it costs to have it');
  const text = (quoted.split('\n## ')[0] ?? '').replaceAll('\n', ' ');
  expect(text).toContain(
    `${dev.toFixed(2)} USD a month for an idle \`dev\` stack, and ${prod.toFixed(2)} for \`prod\``,
  );
  expect(text).toContain(`While nobody calls, ${unused.toFixed(2)} less`);
  expect(text).toContain(`from ${plain} USD plain to ${rendered} rendered as jobs`);
});

test('the rows and the totals of the dashboard are calculated correctly', () => {
  const dashboard = page.slice(page.indexOf('## The dashboard'));
  const rows = rowsOf(dashboard).filter((cells) => cells.length === 5 && cells[0] !== 'what');
  const [sum, ...parts] = rows.toReversed();
  expect(parts).toHaveLength(6);
  for (const [index, people] of [
    [3, 100],
    [4, 10_000],
  ] as const) {
    for (const [what, amount, price, ...costs] of parts)
      expect((numberOf(amount) * numberOf(price) * people).toFixed(2), what).toBe(costs[index - 3]);
    const total = parts.reduce((all, cells) => all + numberOf(cells[index]), 0);
    expect(total).toBeCloseTo(numberOf(sum?.[index]), 2);
  }
});

test('the page prices the memory sizes that are deployed', () => {
  const times = sections.flatMap(rowsOf).filter(([what = '']) => what.startsWith('`'));
  expect(times).toHaveLength(16);
  for (const [what = '', how = '', amount] of times) {
    const [, name = ''] = /`(\w+)`/.exec(what) ?? [];
    const [, ms, gigabytes] = /^(\d+) ms × ([\d.]+) GB/.exec(how) ?? [];
    expect(numberOf(gigabytes) * 1024).toBe(stages.dev.memory[name as keyof typeof stages.dev.memory]);
    expect(numberOf(ms) * numberOf(gigabytes) * 1_000).toBeCloseTo(numberOf(amount), 0);
  }
});
