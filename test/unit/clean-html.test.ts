import { expect, test } from 'vitest';
import { converted } from '../support/world/converted.ts';

const words = (topic: string) => Array.from({ length: 40 }, (_, n) => `${topic} says ${n} things`).join(' ');
const page = `<head><title>T</title><base href="https://cdn.example/x/">
  <link rel="shortcut icon" href="icon.png"><link rel="stylesheet" href="all.css">
  <meta property="og:image" content="/og.png"><meta property="og:title" content="Shop"><meta name="keywords" content="a, b">
  <meta name="robots" content="noindex"></head>
  <nav><a href="/a"><img src="logo.svg"></a></nav>
  <main><h1 class="big" style="color:red" onclick="go()">Title</h1><script>go()</script>
  <p>${words('Body')} <a href="b?x=1&amp;y=2" data-id="1">more &lt;</a> <a href="javascript:go()">go</a></p>
  <img data-src="late.jpg" src="data:image/gif;base64,R0"><img src="late.jpg" width="1"><img src="/late.jpg" alt="&quot;">
  <video poster="film.jpg"></video><p hidden>Hidden</p></main><footer>All rights</footer>`;

const htmlOf = (wanted: Parameters<typeof converted>[1]) =>
  converted(page, { outputs: ['clean_html'], ...wanted }).clean_html;

test('the cleaned page is what its text is taken from, without scripts, styles and handlers', () => {
  const html = htmlOf({ scope: 'main' });
  expect(html).toContain('<h1 class="big">Title</h1>');
  expect(html).toContain('<a href="https://cdn.example/x/b?x=1&amp;y=2">more &lt;</a> <a>go</a>');
  expect(html).toContain('<img src="https://cdn.example/late.jpg" alt="&quot;">');
  for (const gone of ['script', 'go()', 'Hidden', 'All rights', 'nav', 'data:'])
    expect(html).not.toContain(gone);
  expect(htmlOf({ scope: 'full' })).toContain('<footer>All rights</footer>');
});

test('the cleaned page follows the selectors, and reads the same as the page', () => {
  expect(htmlOf({ include: ['footer', 'h1'], exclude: ['p'] })).toBe(
    '<h1 class="big">Title</h1>\n<footer>All rights</footer>',
  );
  const text = (html: string) => converted(html, { outputs: ['text'], scope: 'full' }).text;
  expect(text(htmlOf({ scope: 'full' }) ?? '')).toBe(text(page));
});

test('the images of a page are listed once, in order, where they will be', () => {
  expect(converted(page, { outputs: ['images'] }).images).toEqual([
    'https://cdn.example/x/icon.png',
    'https://cdn.example/og.png',
    'https://cdn.example/x/logo.svg',
    'https://cdn.example/x/late.jpg',
    'https://cdn.example/late.jpg',
    'https://cdn.example/x/film.jpg',
  ]);
  expect(converted('<p>None', { outputs: ['images'] }).images).toEqual([]);
});

test('metadata has the icon, keywords, robots and Open Graph of a page', () => {
  expect(converted(page, { outputs: ['metadata'] }).metadata).toMatchObject({
    favicon: 'https://cdn.example/x/icon.png',
    keywords: 'a, b',
    robots: 'noindex',
    open_graph: { title: 'Shop', image: '/og.png' },
  });
});
