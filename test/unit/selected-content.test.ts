import { expect, test } from 'vitest';
import { converted } from '../support/world/converted.ts';

const words = (topic: string) => Array.from({ length: 40 }, (_, n) => `${topic} says ${n} things`).join(' ');
const page = `<title>T</title><nav><a href="/a">Home</a></nav>
  <main><h1>Title</h1><p class="lead">Lead <b class="lead">twice</b></p><p>${words('Body')}</p></main>
  <aside><p hidden id="offer">Offer <a href="/offer">now</a></p></aside><footer>All rights</footer>`;

const textOf = (wanted: Parameters<typeof converted>[1], html = page) =>
  converted(html, { outputs: ['text'], ...wanted }).text;

test.each([
  [['footer', 'h1'], 'Title\n\nAll rights\n'],
  [['.lead'], 'Lead twice\n'],
  [['nav, footer'], 'Home\n\nAll rights\n'],
  [['#offer'], 'Offer now\n'],
  [['main > :nth-child(2)'], 'Lead twice\n'],
  [['table', 'title'], ''],
])('of a page %j are taken whole, once, and in page order', (include, text) => {
  expect(textOf({ include })).toBe(text);
});

test('what is left out of a page is in neither its text nor its measure', () => {
  expect(textOf({ include: ['main'], exclude: ['p:not(.lead)', 'b'] })).toBe('Title\n\nLead\n');
  expect(textOf({ scope: 'full', exclude: ['nav', 'main', 'aside'] })).toBe('All rights\n');
  const some = textOf({ exclude: ['.lead'] });
  expect([some?.includes('Body says 39'), some?.includes('Lead')]).toEqual([true, false]);
});

test('its share is measured, and its scope is called selected', () => {
  const share = (include: string[]) => converted(page, { outputs: ['text'], include }).content;
  expect(share(['main'])).toEqual({ scope: 'selected', coverage: 0.98 });
  expect(share(['body'])).toEqual({ scope: 'selected', coverage: 1 });
  expect(share(['table'])).toEqual({ scope: 'selected', coverage: 0 });
});

test('links, metadata and the source are taken from the whole page', () => {
  const selecting = { include: ['h1'], exclude: ['nav', '#offer'] };
  const outputs = ['html', 'text', 'links', 'metadata'] as const;
  const { text: _, content: _c, ...rest } = converted(page, { outputs, ...selecting });
  const { text: _t, content: _s, ...all } = converted(page, { outputs });
  expect(rest).toEqual(all);
  expect(rest.links?.map((link) => link.text)).toEqual(['Home', 'now']);
});

test('a page is searched for several selectors, each of which must match', () => {
  const matches = (...awaited: string[]) => converted(page, { awaited }).hasMatch;
  expect([matches('h1', '#offer'), matches('h1', '.price'), matches('.price,h1')]).toEqual([
    true,
    false,
    true,
  ]);
});
