import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, clientOf } from '../support/client.ts';
import { localStack, type TestStack } from '../support/local-stack.ts';

let stack: TestStack;
let client: Client;
beforeAll(async () => {
  stack = await localStack();
  client = clientOf(stack.baseUrl, stack.apiKey);
});
afterAll(() => stack[Symbol.asyncDispose]());

test.each([
  ['plain', {}, '10', 'Loading'],
  ['rendered', { render_js: true }, '25', 'This text was fetched by JavaScript.'],
])('a %s scrape comes through the demo upstream', async (_, fields, credits, text) => {
  const url = `${stack.demoSite}/js`;
  const answer = await client.scrape({
    url,
    premium_proxy: true,
    country_code: 'DE',
    session_id: 's',
    ...fields,
  });
  expect([answer.status, answer.headers.get('x-credits-used')]).toEqual([200, credits]);
  expect(await answer.text()).toContain(text);
});

test('a job does too, and holds nothing of the upstream', async () => {
  const id = await client.submit({ url: `${stack.demoSite}/`, premium_proxy: true, render_js: true });
  expect((await client.settled(id)).job).toMatchObject({ status: 'completed', credits_used: 25 });
  expect(JSON.stringify(await client.job(id))).not.toContain('demo-country');
});

test.each([false, true])('a private target is refused, render_js %s', async (render_js) => {
  const url = `${stack.demoSite}/redirect-to?url=http://127.0.0.1:8080/`;
  const answer = await client.scrape({ url, premium_proxy: true, render_js });
  expect([answer.status, answer.headers.get('x-credits-used')]).toEqual([400, '0']);
});

test('the credentials are in no log', async () => {
  const folder = join(stack.localDir, 'logs');
  const logs = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')));
  expect(logs.join('').length).toBeGreaterThan(0);
  expect([...logs, ...stack.lines].join('\n')).not.toContain('demo-country');
});
