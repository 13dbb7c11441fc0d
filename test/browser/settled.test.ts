import { afterAll, describe, expect, test } from 'vitest';
import { NOT_YET } from '../fixtures/settled/not-yet.ts';
import { REPEATS } from '../fixtures/settled/repeats.ts';
import { BOUNDS_MS, type SettledPage } from '../fixtures/settled/settled-page.ts';
import { pathOf, settledSite } from '../fixtures/settled/site.ts';
import { browserPool } from '../support/browser-pool.ts';

const TIMEOUT_MS = 40_000;

const site = await settledSite();
const busyPool = await browserPool(2, site.hosts);
const boundedPool = await browserPool(3, site.hosts);
afterAll(() => Promise.all([busyPool, boundedPool, site].map((open) => open[Symbol.asyncDispose]())));

/** They take time, and next to nothing of the processor. */
const isBounded = ({ pace }: SettledPage) => pace === 'bounded' || pace === 'no load event';

describe.concurrent('settled gives the final content of', () => {
  for (const page of mixed(site.pages.filter(({ name }) => !REPEATS.has(name)))) {
    const run = NOT_YET.has(page.name) ? test.fails : test;
    run(page.name, () => check(page));
  }
});

test('what is on a list is a page that there is', () => {
  const names = site.pages.map(({ name }) => name);
  expect([...NOT_YET.keys(), ...REPEATS].filter((name) => !names.includes(name))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
});

test('no page has in its source what it is to have in the end', () => {
  const given = site.pages.filter(
    ({ page, holds, isUnreached }) =>
      typeof page === 'string' && !isUnreached && holds.some((part) => page.includes(part)),
  );
  expect(given.map(({ name }) => name)).toEqual([]);
});

/** One of those that only take time after every so many others, so that they run beside them. */
function mixed(pages: SettledPage[]): SettledPage[] {
  const groups = [pages.filter(isBounded), pages.filter((page) => !isBounded(page))];
  const placed = groups.flatMap((group) => group.map((page, i) => ({ page, place: i / group.length })));
  return placed.sort((one, other) => one.place - other.place).map(({ page }) => page);
}

async function check(page: SettledPage): Promise<void> {
  const pool = isBounded(page) ? boundedPool : busyPool;
  const { answer, html, ms } = await pool.render(site.origin + pathOf(page), TIMEOUT_MS);
  expect(page.holds.filter((part) => !html.includes(part))).toEqual([]);
  expect(page.lacks.filter((part) => html.includes(part))).toEqual([]);
  expect(answer).toMatchObject({
    outcome: 'page',
    ...(page.state !== 'either' && { renderState: page.state }),
  });
  expect(ms).toBeLessThan(BOUNDS_MS[page.pace]);
}
