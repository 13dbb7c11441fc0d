import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MENU } from '../../functions/dashboard/views/layout.ts';
import { Plan } from '../../shared/contract/accounts/account.ts';
import { Format } from '../../shared/contract/scrape/output.ts';
import { Instruction } from '../../shared/contract/scrape/scenario.ts';
import { scrapeFields } from '../../shared/contract/scrape/scrape-request.ts';
import { cost } from '../../shared/domain/accounts/credits/charge.ts';
import { limitsOf } from '../../shared/domain/accounts/credits/plan.ts';
import { errorCodes } from '../../shared/errors.ts';

const guide = readFileSync(new URL('../../docs/api-guide.md', import.meta.url), 'utf8');
const numbersBeside = (cell: string) => {
  const row = guide.split('\n').find((line) => line.startsWith(`| ${cell} `)) ?? '';
  return row
    .split('|')
    .slice(2, -1)
    .map((text) => Number(text.replaceAll(/[,+ ]/g, '')));
};

test.each(Plan.options)('the API guide states the limits of the %s plan', (plan) => {
  const { credits, rpm, readsPerMinute, concurrency } = limitsOf({ plan, overrides: {} });
  expect(numbersBeside(plan)).toEqual([credits, rpm, readsPerMinute, concurrency]);
});

test.each([
  ['plain', false, false],
  ['`render_js`', true, false],
  ['`premium_proxy`', false, true],
  ['`render_js` and `premium_proxy`', true, true],
])('the API guide states the cost of a %s request', (request, renderJs, premiumProxy) => {
  expect(numbersBeside(request)).toEqual([cost({ renderJs, premiumProxy })]);
});

test('the API guide states what a model costs beside any page', () => {
  const [more = NaN] = numbersBeside('[JSON by a schema](outputs.md#json-by-a-schema)');
  for (const how of [
    { renderJs: false, premiumProxy: false },
    { renderJs: true, premiumProxy: true },
  ])
    expect(cost({ ...how, extractSchema: {} }) - cost(how)).toBe(more);
});

test('every error code in the API guide exists', () => {
  const named = [...guide.matchAll(/400 `(\w+)`/g)].map(([, code]) => code);
  expect(named.length).toBeGreaterThan(0);
  expect(errorCodes).toEqual(expect.arrayContaining(named));
});

/** The names in code at the start of the rows of a document's tables. */
function rowsOf(document: string): string[] {
  const text = readFileSync(new URL(`../../docs/${document}`, import.meta.url), 'utf8');
  const cells = [...text.matchAll(/^\| (`[^|]+) \|/gm)].map(([, cell = '']) => cell);
  return cells.flatMap((cell) => [...cell.matchAll(/`([\w/-]+)`/g)].map(([, name = '']) => name));
}

test.each([
  ['fields.md', Object.keys(scrapeFields).filter((name) => name !== 'url')],
  ['scenarios.md', Object.keys(Instruction.shape)],
  ['outputs.md', Format.options],
  ['accounts.md', MENU.map(({ path }) => path)],
])('docs/%s has a row for each name', (document, names) => {
  const rows = rowsOf(document);
  expect(names.filter((name) => !rows.includes(name))).toEqual([]);
});
