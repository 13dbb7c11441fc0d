// @module-tag soak
import type { Page } from 'puppeteer-core';
import { afterAll, expect, test } from 'vitest';
import { clientOf } from '../support/stack/client.ts';
import { type Hands, keyboardOf, mouseOf } from '../support/stack/hands.ts';
import { bodyOf, signUp } from '../support/stack/member-page.ts';
import { openReader } from '../support/stack/reader.ts';
import { sharedStack } from '../support/stack/shared-stack.ts';
import { keyIn } from '../support/world/visitor.ts';

const [stack, reader] = await Promise.all([sharedStack(), openReader()]);
afterAll(() => reader[Symbol.asyncDispose]());
const { baseUrl, dashboardUrl, demoSite, localDir } = stack;

type Journey = { page: Page; hands: Hands; sees: (text: RegExp | string) => Promise<void> };

function begin(page: Page, hands: Hands): Journey {
  const sees = async (text: RegExp | string) => expect(await bodyOf(page)).toMatch(text);
  return { page, hands, sees };
}

/** Signs up, scrapes a page and submits a job with the first key. */
async function arrive({ page, hands }: Journey): Promise<string> {
  const { key } = await signUp(page, hands, localDir);
  const client = clientOf(baseUrl, key);
  await (await client.scrape({ url: demoSite })).arrayBuffer();
  const id = await client.submit({ url: demoSite });
  await client.settled(id);
  return id;
}

function lastMonth(): string {
  const [year, month] = [new Date().getUTCFullYear(), new Date().getUTCMonth()];
  return new Date(Date.UTC(year, month - 1)).toLocaleString('en', { month: 'long', timeZone: 'UTC' });
}

async function readPages({ hands, sees }: Journey): Promise<void> {
  const { choose, fill, follow, press } = hands;
  await follow(/^Home$/);
  await sees(/\d left this month/);
  await follow(/^Usage by month$/);
  await sees(/Credits\s+2\s+Scrapes\s+2/);
  await choose(/^Month$/, lastMonth());
  await follow(/^Show$/);
  await sees(`There were no scrapes in ${lastMonth()}`);
  await follow(/^Activity$/);
  await press(/^Filter$/);
  await fill(/^Host$/, 'nothing.example');
  await follow(/^Apply$/);
  await sees('No scrape matches.');
  await follow(/^Clear$/);
  await follow(/^127\.0\.0\.1:\d+/);
  await sees(/Job\s+[\da-f-]{36}/);
  await follow(/^Limits$/);
  await sees(/Scrapes a minute\s+60/);
}

async function changeKeys({ page, hands, sees }: Journey): Promise<void> {
  const { choose, fill, follow, press } = hands;
  await follow(/^Keys$/);
  await fill(/^Name$/, 'by hand');
  await press(/^Scrape$/);
  await fill(/^Credits a day$/, '5');
  await follow(/^Create key$/);
  await sees('shown only once');
  const key = keyIn(await page.content());
  await follow(/^Back to keys$/);
  await sees(/by hand[\s\S]*Only routes: scrape; 5 credits a day/);
  await follow(/^Revoke first$/);
  await follow(/^Revoke the key$/);
  await follow(/^Rotate by hand$/);
  await choose(/^The old key ends$/, 'at once');
  await follow(/^Rotate the key$/);
  expect(keyIn(await page.content())).not.toBe(key);
  await follow(/^Back to keys$/);
  await follow(/^Revoke by hand$/);
  await sees('the only key that works');
  await follow(/^Revoke the key$/);
  expect(await bodyOf(page)).not.toContain('by hand');
}

async function changeOthers({ hands, sees }: Journey, jobId: string): Promise<void> {
  const { fill, follow, press } = hands;
  await follow(/^Jobs$/);
  await press(/^Filter$/);
  await fill(/^Job id$/, jobId);
  await follow(/^Apply$/);
  await sees('Completed');
  await follow(/^Members$/);
  await follow(/^Invite a developer$/);
  await sees(/join#[\w-]{43}/);
  await follow(/^Back to members$/);
  await follow(/^Withdraw the invitation for developer/);
  await follow(/^Withdraw the invitation$/);
  await sees('The invitation is withdrawn.');
  await follow(/^Settings$/);
  await fill(/^Name$/, 'Ada L.');
  await follow(/^Change name$/);
  await follow(/^Members$/);
  await sees('Ada L.');
  await follow(/^Sign out$/);
  await sees('Sign in');
}

test('everything but the playground is done with the keyboard alone', async () => {
  const { page, complaints } = await reader.open(`${dashboardUrl}/sign-up`, 1_280);
  const journey = begin(page, keyboardOf(page));
  const jobId = await arrive(journey);
  await readPages(journey);
  await changeKeys(journey);
  await changeOthers(journey, jobId);
  expect(complaints).toEqual([]);
  await page.close();
});

test('everything but the playground and the buttons that copy works without a script', async () => {
  const { page, requested } = await reader.open(`${dashboardUrl}/sign-up`, 390, { isScripted: false });
  const journey = begin(page, mouseOf(page));
  const jobId = await arrive(journey);
  expect(await page.$$('.copy:not([hidden])')).toEqual([]);
  await readPages(journey);
  await changeKeys(journey);
  await journey.hands.follow(/^Playground$/);
  await journey.sees('needs JavaScript');
  await changeOthers(journey, jobId);
  expect(requested.filter((url) => url.endsWith('.js'))).toEqual([]);
  await page.close();
});
