import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Page } from 'puppeteer-core';
import { v7 } from 'uuid';
import { afterAll, describe, expect, test } from 'vitest';
import { readFunctionLogs } from '../support/stack/read-function-logs.ts';
import { extent } from '../support/world/extent.ts';
import { clientOf } from '../support/stack/client.ts';
import { mailedCode, newMember } from '../support/stack/page-client.ts';
import { barriers, openReader, turn } from '../support/stack/reader.ts';
import { sharedStack } from '../support/stack/shared-stack.ts';
import { keyIn, PASSWORD } from '../support/world/visitor.ts';

const MAX_PAGE_BYTES = 60_000;

const [stack, reader] = await Promise.all([sharedStack(), openReader()]);
afterAll(() => reader[Symbol.asyncDispose]());
const { dashboardUrl, localDir } = stack;

const mailedTo = (email: string) => mailedCode(localDir, email);
const bodyOf = async (page: Page) => String(await page.evaluate('document.body.innerText'));

/** Replaces the text of the named fields, and sends their form. */
async function send(page: Page, fields: Record<string, string>): Promise<void> {
  for (const [name, value] of Object.entries(fields)) {
    await page.click(`[name="${name}"]`, { count: 3 });
    await page.keyboard.type(value);
  }
  await Promise.all([page.waitForNavigation(), page.click('main .primary')]);
}

async function signedUp(width: number) {
  const email = `ada-${v7()}@example.com`;
  const { page, ...rest } = await reader.open(`${dashboardUrl}/sign-up`, width);
  await send(page, { email, password: PASSWORD });
  const code = await mailedTo(email);
  await send(page, { code });
  const key = keyIn(await page.content()) ?? '';
  return { page, email, code, key, ...rest };
}

test('two forms and a mail lead from sign-up to a scrape that Home, Activity and Usage show', async () => {
  const email = `ada-${v7()}@example.com`;
  const { page, requested, complaints } = await reader.open(`${dashboardUrl}/sign-up`, 1_280);
  const urls: string[] = [];
  page.on('framenavigated', (frame) => urls.push(frame.url()));
  await send(page, { email, password: PASSWORD });
  const code = await mailedTo(email);
  await send(page, { code });
  const key = keyIn(await page.content()) ?? '';
  const [call = ''] = /curl .*/.exec(await bodyOf(page)) ?? [];
  expect(call).toContain(`"Authorization: Bearer ${key}" "${stack.baseUrl}/api/v1/scraper?url=`);
  const [, target = ''] = /"(http[^"]*)"/.exec(call) ?? [];
  await page.goto(dashboardUrl);
  expect(await bodyOf(page)).toContain('No call has arrived yet.');
  const scraped = await fetch(target, { headers: { Authorization: `Bearer ${key}` } });
  expect([scraped.status, await scraped.text()]).toEqual([200, expect.stringContaining('JavaScript')]);
  await expect.poll(() => bodyOf(page), { timeout: 20_000 }).toContain('Your first call has arrived.');
  await expect
    .poll(async () => {
      await page.goto(dashboardUrl);
      return bodyOf(page);
    })
    .toMatch(/999 left this month[\s\S]*Your calls are arriving\./);
  await page.goto(`${dashboardUrl}/usage`);
  expect(await bodyOf(page)).toMatch(/Credits\s+1\s+Scrapes\s+1/);
  await page.goto(`${dashboardUrl}/activity`);
  await Promise.all([page.waitForNavigation(), page.click('.lines a')]);
  expect(await bodyOf(page)).toContain(`Request\n${scraped.headers.get('x-request-id')}`);

  const cookies = JSON.stringify(await page.browserContext().cookies());
  const stored = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])');
  const { text } = await readFunctionLogs(join(localDir, 'logs'));
  for (const secret of [key, code, PASSWORD]) {
    for (const place of [cookies, String(stored), urls.join(), requested.join(), await page.content(), text])
      expect(place.includes(secret)).toBe(false);
  }
  expect(complaints).toEqual([]);
  expect(requested.filter((url) => !url.startsWith(dashboardUrl))).toEqual([]);
  await page.close();
});

const SOME = ['/', '/usage', '/webhooks?id=default', '/keys'];
const ALL = [
  ...SOME,
  '/activity',
  '/limits',
  '/jobs',
  '/batches',
  '/crawls',
  '/webhooks',
  '/playground',
  '/members',
  '/settings',
];

const NARROW = { width: 390, scheme: 'light', background: /^rgb\(2\d\d,/ } as const;
const WIDE = { width: 1_280, scheme: 'dark', background: /^rgb\(\d\d,/ } as const;

describe.each(extent([NARROW], [NARROW, WIDE]))(
  '$scheme at $width pixels',
  ({ width, scheme, background }) => {
    const isUsable = async (page: Page, name: string) => {
      await turn(page, scheme);
      expect(await page.evaluate('getComputedStyle(document.body).backgroundColor'), name).toMatch(
        background,
      );
      expect(await page.evaluate('document.documentElement.scrollWidth'), name).toBe(width);
      expect(await barriers(page), name).toEqual([]);
      expect((await page.content()).length, name).toBeLessThan(MAX_PAGE_BYTES);
    };

    test(
      'every page is accessible, fits the window and requests no other host',
      { tags: ['soak'] },
      async () => {
        const { page, requested, complaints } = await reader.open(`${dashboardUrl}/sign-up`, width);
        await isUsable(page, 'sign-up');
        await page.goto(`${dashboardUrl}/join#an-invitation`);
        expect(await page.$eval('[name="invitation"]', (it) => (it as { value?: string }).value)).toBe(
          'an-invitation',
        );
        expect(page.url()).toBe(`${dashboardUrl}/join`);
        await isUsable(page, 'join');
        await page.goto(`${dashboardUrl}/forgot`);
        await isUsable(page, 'forgot');
        await send(page, { email: `nobody-${v7()}@example.com` });
        await isUsable(page, 'reset');
        await page.close();

        const member = await signedUp(width);
        await isUsable(member.page, 'welcome');
        for (const path of extent(SOME, ALL)) {
          await member.page.goto(dashboardUrl + path);
          await isUsable(member.page, path);
        }
        await member.page.goto(`${dashboardUrl}/keys`);
        await send(member.page, { name: 'laptop' });
        await isUsable(member.page, 'key created');
        await member.page.goto(`${dashboardUrl}/settings`);
        await member.page.locator('[name="name"]').fill(' ');
        await Promise.all([
          member.page.waitForNavigation(),
          member.page.locator('[action$="/rename"] button').click(),
        ]);
        await isUsable(member.page, 'a fault');
        await member.page.close();
        const faults = [...complaints, ...member.complaints].filter((text) => !text.includes('422'));
        expect(faults).toEqual([]);
        // Chromium loads the calendar of a date field from its own data URL.
        const others = [...requested, ...member.requested].filter((url) => !url.startsWith('data:'));
        const foreign = others.filter((url) => !url.startsWith(dashboardUrl));
        expect(foreign).toEqual([]);
      },
    );
  },
);

test('the API serves no page of the dashboard, and the dashboard no route of the API', async () => {
  expect((await fetch(`${stack.baseUrl}/sign-in`)).status).toBe(404);
  expect((await fetch(`${dashboardUrl}/healthz`)).status).toBe(404);
  expect(dashboardUrl).not.toBe(stack.baseUrl);
});

test("the gateway's own errors are pages too", async () => {
  const headers = { 'Content-Length': 11 * 2 ** 20 };
  const sending = request(`${dashboardUrl}/sign-in`, { method: 'POST', headers });
  sending.flushHeaders();
  const [tooLarge] = (await once(sending, 'response')) as [IncomingMessage];
  expect([tooLarge.statusCode, tooLarge.headers['content-type']]).toEqual([413, 'text/html; charset=utf-8']);
  expect(await text(tooLarge)).toContain('<h1>Payload Too Large</h1>');
  sending.destroy();

  const { page, requested } = await reader.open(`${dashboardUrl}/activity/%zz`, 390);
  expect(await bodyOf(page)).toContain('The browser sent a request that is not valid');
  expect(await page.$eval('a', (link) => (link as { href?: string }).href)).toBe(`${dashboardUrl}/`);
  expect(await page.evaluate('getComputedStyle(document.body).maxWidth')).toBe('544px');
  expect(await barriers(page)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  expect(requested.filter((url) => !url.startsWith(dashboardUrl))).toEqual([]);
  await page.close();
});

test('a job that has ended runs again through the API, without a key of the person', async () => {
  const { visitor, html } = await newMember(dashboardUrl, localDir, `ada-${v7()}@example.com`);
  const client = clientOf(stack.baseUrl, keyIn(html) ?? '');
  const id = await client.submit({ url: stack.demoSite, format: 'text' });
  await client.settled(id);
  const { status, location } = await visitor.submit('/run-again', { id });
  const again = new URL(location ?? '', dashboardUrl).searchParams.get('id') ?? '';
  expect([status, again]).toEqual([303, expect.stringMatching(/^[\da-f-]{36}$/)]);
  await client.settled(again);
  await expect.poll(async () => (await visitor.get(`/jobs?id=${again}`)).html).toMatch(/Duration[\s\S]* ms/);
});

test('an operator invites a person with a link to the dashboard', async () => {
  const { people, url } = await stack.storage.dashboard();
  expect(url).toBe(dashboardUrl);
  expect(await people.find('nobody')).toBeUndefined();
});
