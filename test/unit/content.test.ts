import { describe, expect, test } from 'vitest';
import { converted, markdownOf, textOf } from '../support/converted.ts';

const sentence = (topic: string, count = 40) =>
  Array.from({ length: count }, (_, n) => `${topic} says ${n} things`).join(' ');
const menu = '<nav><ul><li><a href="/a">Home</a><li><a href="/b">Prices</a></ul></nav>';
const footer = '<footer>All rights reserved</footer>';
const article = `${menu}<main><h1>Title</h1><p>${sentence('Body')}</p></main>
  <aside class="sidebar"><h3>Popular</h3><p>Sidebar words</p></aside>${footer}`;

describe('the main content', () => {
  test('has no menu, sidebar or footer, and full has them', () => {
    expect(textOf(article, 'main')).toBe(`Title\n\n${sentence('Body')}`);
    const full = textOf(article, 'full') ?? '';
    for (const words of ['Home', 'Sidebar words', 'All rights reserved']) expect(full).toContain(words);
  });

  test.each([
    ['cookie-consent', 'We use cookies'],
    ['newsletter-signup', 'Enter your address'],
    ['share-buttons', 'Share on'],
    ['breadcrumb', 'Home / Shop'],
    ['related-posts', 'Other stories'],
  ])('has nothing of a block called %s', (name, words) => {
    const html = `<body><div class="${name}">${words}</div><div><h1>T</h1><p>${sentence('Body')}</p></div>`;
    expect(textOf(html, 'auto')).not.toContain(words);
    expect(textOf(html, 'auto')).toContain('Body says 39');
  });

  test('ends where a heading announces other pages', () => {
    const html = `<main><h1>T</h1><p>${sentence('Body')}</p><h2>Related articles</h2><p>Another story</p></main>`;
    expect(textOf(html, 'auto')).not.toContain('Another story');
  });

  test('is kept in blocks whose names only look like those of menus', () => {
    const html = `<body><div class="elementor-widget widget-text"><h1>T</h1><p>${sentence('Body')}</p></div>`;
    expect(textOf(html, 'auto')).toContain('Body says 39');
  });

  test('is kept in a section whose id is the text of its heading', () => {
    const section =
      '<section id="sign-up-for-an-account-and-log-in"><h2>First</h2><p>Kept words</p></section>';
    expect(textOf(`<main><h1>T</h1><p>${sentence('Body')}</p>${section}</main>`, 'auto')).toContain(
      'Kept words',
    );
  });

  test('has the notes of documentation', () => {
    const html = `<main><h1>T</h1><p>${sentence('Body')}</p><aside><p>Mind the gap</p></aside></main>`;
    expect(textOf(html, 'auto')).toContain('Mind the gap');
  });

  test('has the heading that stands above it', () => {
    const html = `<body><div class="hero"><h1>Title</h1></div><article><p>${sentence('Body', 80)}</p></article>`;
    expect(markdownOf(html, 'auto')).toMatch(/^# Title\n\nBody says/);
  });

  test('has the comments of a forum and not those of an article', () => {
    const html = `<body><div><h1>T</h1><p>${sentence('Body', 60)}</p></div>
      <div id="comments"><p>${sentence('Reply')}</p></div>`;
    expect(textOf(html, 'auto')).not.toContain('Reply says');
    const forum = html.replace('<body>', '<body class="forum">');
    expect(textOf(forum, 'auto')).toContain('Reply says 39');
  });

  test('comes once if a page has it for each screen size', () => {
    const block = `<div><p>${sentence('Body')}</p></div>`;
    const html = `<body><div class="phone">${block}</div><div class="tablet">${block}</div><p>Else</p>`;
    expect(textOf(html, 'auto')?.match(/Body says 7 /g)).toHaveLength(1);
  });

  test('is shown if only a script would show it', () => {
    const hidden = `<div style="display:none"><h1>T</h1><p>${sentence('Body')}</p></div>`;
    expect(textOf(`<body><p>Loading</p>${hidden}`, 'auto')).toContain('Body says 39');
    expect(textOf(`<body><p>Loading</p><noscript><p>${sentence('Body')}</p></noscript>`, 'auto')).toContain(
      'Body says',
    );
  });
});

describe('auto', () => {
  const card = (n: number) => `<div class="card popular"><a href="/${n}">Thing ${n}</a> <b>${n} €</b></div>`;
  const shop = `${menu}<div>${Array.from({ length: 60 }, (_, n) => card(n)).join('')}</div><p>Buy now</p>${footer}`;

  test('takes the page without its menus where the main content would drop most words', () => {
    const { text, content } = converted(shop, { outputs: ['text'], scope: 'auto' });
    expect(content?.scope).toBe('full');
    expect(text).toContain('Thing 59');
    expect(text).not.toMatch(/Prices|rights reserved/);
  });

  test('says which part it took and what share of the words', () => {
    const { content } = converted(article, { outputs: ['markdown'], scope: 'auto' });
    expect(content).toEqual({ scope: 'main', coverage: 0.95 });
    expect(converted(article, { outputs: ['text'], scope: 'full' }).content).toEqual({
      scope: 'full',
      coverage: 1,
    });
  });

  test('returns what little a page has', () => {
    expect(textOf('<body><nav><a href="/">Home</a></nav>', 'auto')).toBe('- Home'.slice(2));
    expect(textOf('<body></body>', 'auto')).toBe('');
  });
});
