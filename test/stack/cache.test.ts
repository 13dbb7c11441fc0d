import { expect, test } from 'vitest';
import { sharedStack } from '../support/stack/shared-stack.ts';

const stack = await sharedStack();
const { client } = stack;
const url = `${stack.demoSite}/same`;

async function came(more: object) {
  const { headers, ...answer } = await client.scrape({ url, ...more }).then(async (response) => ({
    headers: response.headers,
    text: await response.text(),
  }));
  const [cache, age, used] = ['x-cache', 'age', 'x-credits-used'].map((name) => headers.get(name));
  return { ...answer, cache, age, used };
}

async function forget() {
  const path = `${stack.baseUrl}/api/v1/cache?url=${encodeURIComponent(url)}`;
  const headers = { Authorization: `Bearer ${stack.apiKey}` };
  expect((await fetch(path, { method: 'DELETE', headers })).status).toBe(204);
}

test.each([
  ['plain', {}, '1'],
  ['rendered', { render_js: true }, '5'],
  ['Markdown', { format: 'markdown' }, '1'],
])('a repeat of a %s page is free, and cheap if it only has to be revalidated', async (_, how, price) => {
  await forget();
  const first = await came({ ...how, max_age: 600 });
  expect(first).toMatchObject({ cache: 'miss', age: null, used: price });
  const hit = await came({ ...how, max_age: 600 });
  expect(hit).toMatchObject({ text: first.text, cache: 'hit', used: '0' });
  expect(Number(hit.age)).toBeLessThan(600);
  expect(await came({ ...how, revalidate: true })).toEqual({
    text: first.text,
    cache: 'revalidated',
    age: '0',
    used: '1',
  });
  await forget();
  expect(await came({ ...how, max_age: 600 })).toMatchObject({ cache: 'miss', used: price });
});

test('the result of a job is a repeat until the job is deleted', async () => {
  await forget();
  const id = await client.submit({ url, max_age: 600 });
  expect((await client.settled(id)).job).toMatchObject({ status: 'completed', cache: 'miss' });
  expect(await came({ max_age: 600 })).toMatchObject({ cache: 'hit', used: '0' });
  const again = await client.submit({ url, max_age: 600 });
  expect((await client.settled(again)).job).toMatchObject({ credits_used: 0, credits_reason: 'cached' });
  await client.remove(id);
  expect(await came({ max_age: 600 })).toMatchObject({ cache: 'miss', used: '1' });
});
