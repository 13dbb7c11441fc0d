import { afterAll, describe, expect, inject, test } from 'vitest';
import { NOT_YET_IN_MANY } from '../../fixtures/settled/not-yet.ts';
import { BOUNDS_MS, type SettledPage } from '../../fixtures/settled/settled-page.ts';
import { pathOf, settledSite } from '../../fixtures/settled/site.ts';
import { browserPool } from './browser-pool.ts';

const TIMEOUT_MS = 40_000;

/** They take time but hardly any CPU. */
const isBounded = ({ pace }: SettledPage) => pace === 'bounded' || pace === 'no load event';

const isMissed = ({ name }: SettledPage) => inject('processes') === 'many' && NOT_YET_IN_MANY.has(name);

/** Tests that `settled` returns the final content of these pages of the corpus in time. Returns all pages. */
export async function settledSuite(isTaken: (page: SettledPage) => boolean): Promise<SettledPage[]> {
  const site = await settledSite();
  const busyPool = await browserPool(1, site.hosts);
  const boundedPool = await browserPool(2, site.hosts);
  afterAll(() => Promise.all([busyPool, boundedPool, site].map((open) => open[Symbol.asyncDispose]())));

  const check = async (page: SettledPage) => {
    const pool = isBounded(page) ? boundedPool : busyPool;
    const { answer, html, ms } = await pool.render(site.origin + pathOf(page), TIMEOUT_MS);
    expect(page.holds.filter((part) => !html.includes(part))).toEqual([]);
    expect(page.lacks.filter((part) => html.includes(part))).toEqual([]);
    expect(answer).toMatchObject({
      outcome: 'page',
      ...(page.state !== 'either' && { renderState: page.state }),
      ...(page.waits && { renderWaiting: page.waits }),
    });
    expect(ms).toBeLessThan(BOUNDS_MS[page.pace]);
  };
  describe.concurrent('settled gives the final content of', () => {
    for (const page of mixed(site.pages.filter(isTaken))) {
      // A busy machine may not finish a page within its five seconds.
      if (isMissed(page)) test.fails(page.name, () => check(page));
      else test(page.name, { retry: 2 }, () => check(page));
    }
  });
  return site.pages;
}

/** Spreads the slow pages evenly among the others, so that they run beside them. */
function mixed(pages: SettledPage[]): SettledPage[] {
  const groups = [pages.filter(isBounded), pages.filter((page) => !isBounded(page))];
  const placed = groups.flatMap((group) => group.map((page, i) => ({ page, place: i / group.length })));
  return placed.sort((one, other) => one.place - other.place).map(({ page }) => page);
}
