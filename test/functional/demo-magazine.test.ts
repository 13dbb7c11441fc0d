import { afterAll, expect, test } from 'vitest';
import { startDemoSite } from '../../local/demo-site.ts';

const site = await startDemoSite();
afterAll(() => site[Symbol.asyncDispose]());

const read = async (url: string) => {
  const answer = await fetch(url);
  return { status: answer.status, text: await answer.text() };
};
const matchesIn = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map(([, found = '']) => found);

test('the magazine of the demo site has thirty pages, which its links and its sitemap have both', async () => {
  const root = `${site.url}/magazine/`;
  const found = new Set([root]);
  const titles = new Set<string>();
  for (const url of found) {
    const { status, text } = await read(url);
    expect(status, url).toBe(200);
    titles.add(/<title>(.*)<\/title>/.exec(text)?.[1] ?? '');
    for (const path of matchesIn(text, /href="([^"]+)"/g)) found.add(site.url + path);
  }
  const robots = (await read(`${site.url}/robots.txt`)).text;
  const cart = `${site.url}/magazine/cart`;
  expect(robots).toBe(`User-agent: *\nDisallow: /magazine/cart\n\nSitemap: ${site.url}/sitemap.xml\n`);
  const listed = matchesIn((await read(`${site.url}/sitemap.xml`)).text, /<loc>([^<]+)<\/loc>/g);
  expect([listed.length, titles.size]).toEqual([30, 31]);
  expect([...found].sort()).toEqual([...listed, cart].sort());
});

test('the front page of the demo site leads to the magazine, which has no other pages', async () => {
  expect((await read(`${site.url}/`)).text).toContain('<a href="/magazine/">');
  expect((await read(`${site.url}/magazine/none`)).status).toBe(404);
});
