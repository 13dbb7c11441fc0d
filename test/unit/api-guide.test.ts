import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Plan } from '../../shared/contract/account.ts';
import { cost } from '../../shared/domain/credits/charge.ts';
import { limitsOf } from '../../shared/domain/credits/plan.ts';
import { errorCodes } from '../../shared/errors.ts';

const guide = readFileSync(new URL('../../docs/api-guide.md', import.meta.url), 'utf8');
const numbersBeside = (cell: string) => {
  const row = guide.split('\n').find((line) => line.startsWith(`| ${cell} `)) ?? '';
  return row
    .split('|')
    .slice(2, -1)
    .map((text) => Number(text.replaceAll(',', '')));
};

test.each(Plan.options)('the guide says what the plan %s grants', (plan) => {
  const { credits, rpm, readsPerMinute, concurrency } = limitsOf({ plan, overrides: {} });
  expect(numbersBeside(plan)).toEqual([credits, rpm, readsPerMinute, concurrency]);
});

test.each([
  ['plain', false, false],
  ['`render_js`', true, false],
  ['`premium_proxy`', false, true],
  ['`render_js` and `premium_proxy`', true, true],
])('the guide says what a %s request costs', (request, renderJs, premiumProxy) => {
  expect(numbersBeside(request)).toEqual([cost({ renderJs, premiumProxy })]);
});

test('every code that the guide names is one', () => {
  const named = [...guide.matchAll(/^\| \d{3} `(\w+)`/gm)].map(([, code]) => code);
  expect(named.length).toBeGreaterThan(10);
  expect(errorCodes).toEqual(expect.arrayContaining(named));
});
