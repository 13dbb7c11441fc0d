import { expect, test } from 'vitest';
import { isScriptChallenge, isScriptShell } from '../../shared/domain/scrape/verdict/script-shell.ts';
import { page } from '../support/world/pages.ts';

const PROSE = 'Blue shoes, sizes 36 to 44, in stock and sent within two days of your order. '.repeat(4);
const shown = (html: string) => isScriptShell(page(`<html><body>${html}</body></html>`));

test.each([
  ['a mount point', '<nav>Shop</nav><main id="root"></main><script src="/app.js"></script>'],
  ['a custom element', '<shop-list></shop-list><script src="/app.js"></script>'],
  ['a spinner', '<div class="spinner"><i>Wird geladen</i></div><script src="/app.js"></script>'],
  ['a busy region', '<ul aria-busy="true"><li>…</li></ul><script src="/app.js"></script>'],
  [
    'a demand for scripts',
    '<noscript>Veuillez activer JavaScript.</noscript><p>Boutique</p><script src="/app.js"></script>',
  ],
  ['a script that writes', '<p id="out">…</p><script>out.textContent = "shown"</script>'],
  [
    'data that is not in sight',
    `<p>${'Shop '.repeat(40)}</p><script id="__NEXT_DATA__" type="application/json">${JSON.stringify({
      products: Array.from({ length: 9 }, (_, n) => ({ name: `a pair of very blue shoes ${n}` })),
    })}</script><script src="/app.js"></script>`,
  ],
])('%s makes a shell', (_, html) => {
  expect(shown(html)).toBe(true);
});

test.each([
  ['a page of prose with scripts', `<main id="root"><p>${PROSE}</p></main><script src="/app.js"></script>`],
  ['a small page without scripts', '<div></div><p>It works!</p>'],
  [
    'data that is in sight too',
    `<p>${PROSE}</p><script type="application/json">${JSON.stringify([PROSE, PROSE])}</script><script src="/app.js"></script>`,
  ],
  [
    'structured data',
    `<p>${PROSE}</p><script type="application/ld+json">${JSON.stringify({ description: 'words that nobody sees here '.repeat(20) })}</script>`,
  ],
  [
    'a page that has its content for readers without scripts',
    `<noscript><p>${PROSE}</p></noscript><div></div><script src="/app.js"></script>`,
  ],
])('%s is no shell', (_, html) => {
  expect(shown(html)).toBe(false);
});

test('a browser may pass a wall with scripts, but no captcha', () => {
  const wall = (html: string) => isScriptChallenge(page(html, { status: 403 }));
  expect(wall('<script src="/challenge.js"></script>')).toBe(true);
  expect(wall('<h1>Access denied</h1>')).toBe(false);
  expect(
    wall('<div class="g-recaptcha"></div><script src="https://www.google.com/recaptcha/api.js"></script>'),
  ).toBe(false);
});
