import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { ownStack } from '../support/stack/shared-stack.ts';
import { CREDENTIALS, vendor } from '../support/servers/vendor.ts';

const upstream = await vendor();
afterAll(() => upstream[Symbol.asyncDispose]());
const template = CREDENTIALS.replace('-country-de', '[-country-{country}]');
const stack = await ownStack({ premiumProxyUrl: `http://${template}@${upstream.host}` });
const { client } = stack;
const demoHost = new URL(stack.demoSite).host;
const fields = { premium_proxy: true, country_code: 'DE' };
beforeEach(() => {
  upstream.asked.length = 0;
});

test.each([
  ['plain', false, '10', 'Loading'],
  ['rendered', true, '25', 'This text was fetched by JavaScript.'],
])('a %s scrape uses the upstream only on request', async (_, render_js, credits, text) => {
  const url = `${stack.demoSite}/js`;
  const answer = await client.scrape({ url, render_js, session_id: 's', ...fields });
  expect([answer.status, answer.headers.get('x-credits-used')]).toEqual([200, credits]);
  expect(await answer.text()).toContain(text);
  expect(new Set(upstream.asked)).toEqual(new Set([demoHost]));
  upstream.asked.length = 0;
  expect((await client.scrape({ url, render_js })).status).toBe(200);
  expect(upstream.asked).toEqual([]);
});

test('a job uses the upstream, and stores none of its credentials', async () => {
  const id = await client.submit({ url: `${stack.demoSite}/`, render_js: true, ...fields });
  expect((await client.settled(id)).job).toMatchObject({ status: 'completed', credits_used: 25 });
  expect(upstream.asked).toContain(demoHost);
  expect(JSON.stringify(await client.job(id))).not.toMatch(/user-country|p(@|%40)ss/);
});

test.each([false, true])(
  'wrong credentials for the upstream are free of charge (render_js: %s)',
  async (render_js) => {
    const answer = await client.scrape({ url: stack.demoSite, premium_proxy: true, render_js });
    expect([answer.status, answer.headers.get('x-credits-used')]).toEqual([502, '0']);
    expect(await answer.json()).toMatchObject({ code: 'proxy_failed' });
  },
);

test.each([false, true])('a private target is refused (render_js: %s)', async (render_js) => {
  const url = `${stack.demoSite}/redirect-to?url=http://127.0.0.1:8080/`;
  const answer = await client.scrape({ url, render_js, ...fields });
  expect([answer.status, answer.headers.get('x-credits-used')]).toEqual([400, '0']);
  expect(new Set(upstream.asked)).toEqual(new Set([demoHost]));
});

test('no log line contains the credentials', async () => {
  const folder = join(stack.localDir, 'logs');
  const logs = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')));
  expect(logs.join('').length).toBeGreaterThan(0);
  expect([...logs, ...stack.lines].join('\n')).not.toMatch(/user-country|p(@|%40)ss/);
});
