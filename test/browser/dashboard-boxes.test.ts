import { afterAll, describe, expect, test } from 'vitest';
import { extent } from '../support/world/extent.ts';
import { barriers, overlaps, turn } from '../support/stack/reader.ts';
import { openFilledDashboard } from '../support/stack/dashboard-pictures.ts';

const dashboard = await openFilledDashboard();
afterAll(() => dashboard[Symbol.asyncDispose]());
const { job, lost, waiting, batch, webhook, crawl, keyId, invitation } = dashboard.work;

const SOME = {
  Jobs: '/jobs',
  'an endpoint and its deliveries': `/webhooks?id=${webhook}`,
};
const ALL = {
  ...SOME,
  Playground: '/playground',
  'the question before a key is revoked': `/revoke-key?key=${keyId}`,
  Usage: '/usage',
  Home: '/',
  Activity: '/activity',
  'a job': `/jobs?id=${job}`,
  'a job that failed': `/jobs?id=${lost}`,
  'the question before a job is cancelled': `/cancel-job?id=${waiting}`,
  Batches: '/batches',
  'a batch': `/batches?id=${batch}`,
  Crawls: '/crawls',
  'a crawl': `/crawls/${crawl}`,
  Keys: '/keys',
  Webhooks: '/webhooks',
  'the question before an endpoint is deleted': `/remove-webhook?id=${webhook}`,
  'the question before a key is rotated': `/rotate-key?key=${keyId}`,
  'the question before an endpoint is disabled': `/change-webhook?id=${webhook}`,
  'the question before a secret is replaced': `/rotate-webhook?id=${webhook}`,
  Limits: '/limits',
  Members: '/members',
  Settings: '/settings',
  'the question before an invitation is withdrawn': `/withdraw-invitation?invitation=${invitation}`,
  'the question before an account is deleted': '/delete-account',
};

const MIDDLE = [1_024, 'light'] as const;

describe.each(extent([MIDDLE], [[390, 'dark'] as const, MIDDLE, [1_280, 'dark'] as const]))(
  'at %i pixels',
  (width, scheme) => {
    test.each(Object.entries<string>(extent(SOME, ALL)))(
      '%s: nothing overlaps, and all of it fits and is accessible',
      async (_, path) => {
        const tab = await dashboard.open(path, { width, height: 900 });
        await turn(tab, scheme);
        expect(await tab.evaluate(`document.querySelector('h1').textContent`)).not.toBe('Not Found');
        expect(await overlaps(tab)).toEqual([]);
        expect(await tab.evaluate('document.documentElement.scrollWidth')).toBe(width);
        expect(await barriers(tab)).toEqual([]);
        await tab.close();
      },
    );
  },
);

test('two texts that overlap are found, and clipped ones are not', async () => {
  const tab = await dashboard.open('/limits', { width: 1_024, height: 900 });
  await tab.evaluate(`document.querySelector('h1').style.marginBottom = '-3rem'`);
  expect(await overlaps(tab)).not.toEqual([]);
  await tab.close();
});

test('the values of a day are shown on focus, and arrows change the day', async () => {
  const tab = await dashboard.open('/usage', { width: 1_024, height: 900 });
  const shown = () =>
    tab.evaluate(`[...document.querySelectorAll('.days span')]
      .filter((it) => getComputedStyle(it).opacity === '1').map((it) => it.textContent).join()`);
  expect(await shown()).toBe('');
  await tab.focus('[name="credits-day"]');
  expect(await shown()).toMatch(/^2026-11-01: \d+ credits/);
  await tab.keyboard.press('ArrowRight');
  expect(await shown()).toMatch(/^2026-11-02: \d+ credits/);
  await tab.hover('.days label:nth-of-type(5)');
  expect(await shown()).toMatch(/^2026-11-05: /);
  await tab.close();
});

test('the menu is folded on a phone, and opens without a script', async () => {
  const tab = await dashboard.open('/', { width: 390, height: 900 });
  const isShown = () => tab.evaluate(`document.querySelector('nav').checkVisibility()`);
  expect(await isShown()).toBe(false);
  await tab.click('.menu summary');
  expect(await isShown()).toBe(true);
  await tab.setViewport({ width: 1_024, height: 900 });
  await tab.click('.brand');
  await tab.waitForSelector('nav');
  expect(await isShown()).toBe(true);
  await tab.close();
});
