import { describe, expect, test } from 'vitest';
import { converted, markdownOf, textOf } from '../support/world/converted.ts';

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
    ['x-1a2b-AdvertisingDisclosureWrapper', 'We earn commissions'],
    ['affiliate-disclosure', 'We earn commissions'],
  ])('has nothing of a block called %s', (name, words) => {
    const html = `<body><div class="${name}">${words}</div><div><h1>T</h1><p>${sentence('Body')}</p></div>`;
    expect(textOf(html, 'auto')).not.toContain(words);
    expect(textOf(html, 'auto')).toContain('Body says 39');
  });

  test('has an open dialog in full, and not a closed one', () => {
    const page = (open: string) => `<main><h1>T</h1><p>Body</p></main><dialog ${open}>Sign up</dialog>`;
    expect(textOf(page('open'), 'full')).toContain('Sign up');
    expect(textOf(page(''), 'full')).not.toContain('Sign up');
  });

  test('ends where a heading announces other pages', () => {
    const html = `<main><h1>T</h1><p>${sentence('Body')}</p><h2>Related articles</h2><p>Another story</p></main>`;
    expect(textOf(html, 'auto')).not.toContain('Another story');
  });

  test('is kept in blocks whose names only look like menus', () => {
    const html = `<body><div class="elementor-widget widget-text"><h1>T</h1><p>${sentence('Body')}</p></div>`;
    expect(textOf(html, 'auto')).toContain('Body says 39');
  });

  test('is kept in a section whose id is the text of its heading', () => {
    const section =
      '<section id="sign-up-for-an-account-and-log-in"><h2>First</h2><p>Kept words</p></section>';
    const about = '<section id="affiliate-disclosure"><h2>Second</h2><p>Words about it</p></section>';
    const text = textOf(`<main><h1>T</h1><p>${sentence('Body')}</p>${section}${about}</main>`, 'auto');
    expect(text).toContain('Kept words');
    expect(text).toContain('Words about it');
  });

  test('has the notes of documentation', () => {
    const html = `<main><h1>T</h1><p>${sentence('Body')}</p><aside><p>Mind the gap</p></aside></main>`;
    expect(textOf(html, 'auto')).toContain('Mind the gap');
  });

  test('has the heading that stands above it', () => {
    const html = `<body><div class="hero"><h1>Title</h1></div><article><p>${sentence('Body', 80)}</p></article>`;
    expect(markdownOf(html, 'auto')).toMatch(/^# Title\n\nBody says/);
  });

  test('has the comments of a forum and not of an article', () => {
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

  describe('has what stands before it in elements of their own', () => {
    const long = `<article><p>${sentence('Body', 80)}</p></article>`;
    const lead =
      'A lead of more than fifteen words that says in short what the rest of the page says at length.';
    const first = (html: string) => textOf(`<body><div>${html}</div>${long}</body>`, 'auto')?.split('\n')[0];

    test.each([
      ['a lead under the title', `<h1>T</h1><p>${lead}</p>`, 'T'],
      ['a lead without a title', `<section><p>${lead}</p></section>`, lead],
      ['no label', '<p>Short label</p>', 'Body says'],
      ['no list of links', `<p><a href="/a">${lead}</a></p>`, 'Body says'],
      ['no notice above the title', `<p>${lead}</p></div><div><h1>T</h1>`, 'T'],
    ])('%s', (_, html, start) => expect(first(html)?.startsWith(start)).toBe(true));

    test('the question above its answers, and nothing outside of main', () => {
      const html = `<body><p>${lead.replace('A lead', 'A notice')}</p><main><div><p>${lead}</p></div>${long}</main>`;
      const text = textOf(html, 'auto');
      expect(text).toContain('A lead of more');
      expect(text).not.toContain('A notice');
    });
  });

  test.each([
    ['in a button of a heading', '<h3><button>Does it fit?</button></h3><div>Yes</div>', 'Does it fit?'],
    ['in a button that opens a part', '<button aria-expanded="false">Does it fit?</button>', 'Does it fit?'],
    ['on a tab that is not shown', '<div role="tabpanel" hidden>Weighs 3 kg</div>', 'Weighs 3 kg'],
    ['in a closed accordion', '<div class="faq__answer" style="display:none">It does</div>', 'It does'],
    ['in what React streamed', '<div hidden id="S:1a">Late words</div>', 'Late words'],
    [
      'in a term with a tooltip',
      '<p>It runs in a <a class="tooltip" href="/c">container</a> of its own</p>',
      'runs in a container of its own',
    ],
    [
      'in an element whose filter is active',
      '<div class="item filter-active">Case study</div>',
      'Case study',
    ],
  ])('has the words %s', (_, html, words) => {
    expect(textOf(`<main><h1>T</h1><p>${sentence('Body')}</p>${html}</main>`, 'auto')).toContain(words);
  });

  test.each([
    ['a button', '<button>Add to cart</button>', 'Add to cart'],
    ['a dialog that is not shown', '<div role="dialog" class="expand" hidden>Sign up</div>', 'Sign up'],
    ['a banner', '<div class="gift-banner"><b>Give a course</b></div>', 'Give a course'],
    ['a link to skip the menu', '<a href="#main">Skip to content</a>', 'Skip to'],
  ])('has no words of %s', (_, html, words) => {
    expect(textOf(`<body>${html}<h1>T</h1><p>${sentence('Body')}</p></body>`, 'auto')).not.toContain(words);
  });

  test('has what members of a forum say, not what the forum says about them', () => {
    const post = (n: number) => `<article><div class="message-userDetails">Ada <h5>Premium Member</h5></div>
      <p>${sentence(`Post ${n}`)}</p></article>`;
    const text = textOf(`<body class="forum"><h1>T</h1>${[1, 2, 3].map(post).join('')}</body>`, 'auto');
    expect(text).toContain('Post 3 says 39');
    expect(text).not.toContain('Premium Member');
  });

  test('is shown if only a script would show it', () => {
    const hidden = `<div style="display:none"><h1>T</h1><p>${sentence('Body')}</p></div>`;
    expect(textOf(`<body><p>Loading</p>${hidden}`, 'auto')).toContain('Body says 39');
    expect(textOf(`<body><p>Loading</p><noscript><p>${sentence('Body')}</p></noscript>`, 'auto')).toContain(
      'Body says',
    );
  });
});

const card = (n: number) => `<div class="card popular"><a href="/${n}">Thing ${n}</a> <b>${n} €</b></div>`;
const shop = `${menu}<div>${Array.from({ length: 60 }, (_, n) => card(n)).join('')}</div><p>Buy now</p>${footer}`;

test('auto takes the page without its menus where the main content would drop most words', () => {
  const { text, content } = converted(shop, { outputs: ['text'], scope: 'auto' });
  expect(content?.scope).toBe('full');
  expect(text).toContain('Thing 59');
  expect(text).not.toMatch(/Prices|rights reserved/);
});

test('auto says which part it took and what share of the words', () => {
  const { content } = converted(article, { outputs: ['markdown'], scope: 'auto' });
  expect(content).toEqual({ scope: 'main', coverage: 0.95 });
  expect(converted(article, { outputs: ['text'], scope: 'full' }).content).toEqual({
    scope: 'full',
    coverage: 1,
  });
});

test('auto returns what little a page has', () => {
  expect(textOf('<body><nav><a href="/">Home</a></nav>', 'auto')).toBe('- Home'.slice(2));
  expect(textOf('<body></body>', 'auto')).toBe('');
});
