import { describe, expect, test } from 'vitest';
import { markdownOf, textOf } from '../support/world/converted.ts';

const sentence = (topic: string, count = 40) =>
  Array.from({ length: count }, (_, n) => `${topic} says ${n} things`).join(' ');
const card = (n: number) =>
  `<li class="card"><img src="/${n}.jpg"><a href="/${n}">Thing number ${n}</a> <p>In red, at ${n} €, with feet</p></li>`;
const cards = Array.from({ length: 240 }, (_, n) => card(n)).join('');
const grid = `<ul>${cards}</ul>`;
const guide = `<section><h2>How to choose</h2><p>${sentence('Guide')}</p></section>`;
const panel = (heading: string) =>
  `<div><h3><button aria-expanded="false">${heading}</button></h3><p>${sentence(heading)}</p></div>`;

test('the main content of a shop has the guide below its products', () => {
  expect(textOf(`<main><h1>Things</h1>${grid}${guide}</main>`, 'auto')).toContain('Guide says 39');
});

test('the main content of a shop has no such words below the main area', () => {
  const html = `<body><main><h1>Things</h1>${grid}</main>${guide}</body>`;
  expect(textOf(html, 'auto')).not.toContain('Guide says 39');
});

test('the main content of a shop has the advice that opens under a heading for related articles', () => {
  const advice = `<h2>Related advice</h2><div>${panel('Size')}${panel('Weight')}</div>`;
  for (const html of [`<div>${advice}</div>`, advice])
    expect(textOf(`<main><h1>Things</h1>${grid}${html}</main>`, 'auto')).toContain('Weight says 39');
});

test('the main content of a shop has no links to related articles', () => {
  const links = `<h2>Related articles</h2><p><a href="/a">${sentence('Other')}</a></p>`;
  expect(textOf(`<main><h1>Things</h1>${grid}<div>${links}</div></main>`, 'auto')).not.toContain(
    'Other says',
  );
});

test('the main content of a shop has the description beside its title, when both stand before the main area', () => {
  const lead = `<div class="hero"><h1>Things</h1><p>${sentence('Description')}</p></div>`;
  const html = `<body><p>${sentence('Notice')}</p>${lead}<main>${grid}</main></body>`;
  expect(markdownOf(html, 'auto')).toMatch(/^(# Things\s+)?Description says 0/);
  expect(textOf(html, 'auto')).not.toContain('Notice says');
});

test('the main content of a shop has the details in a panel that counts as a dialog, and no real dialog', () => {
  const button = '<button><h5>Details</h5></button>';
  const dialog = (modal: boolean) =>
    `<div role="dialog" aria-modal="${String(modal)}"><p>Weighs 3 kg</p></div>`;
  const page = (html: string) => `<main><h1>T</h1><p>${sentence('Body')}</p>${html}</main>`;
  expect(textOf(page(button + dialog(false)), 'auto')).toContain('Weighs 3 kg');
  expect(textOf(page(button + dialog(true)), 'auto')).not.toContain('Weighs 3 kg');
  expect(textOf(page(dialog(false)), 'auto')).not.toContain('Weighs 3 kg');
});

test('the main content of a shop has shown prices, and not again the text that is read out', () => {
  const price = '<span aria-hidden="true">$24.95</span><span class="price__sr-text">Price $ 24.95</span>';
  const labelled = '<a href="/r" aria-label="89 ratings"><i aria-hidden="true">(89)</i></a>';
  const icon = '<div><i aria-hidden="true">star_icon</i></div>';
  const text = textOf(`<main><h1>T</h1><p>${sentence('Body')}</p>${price}${labelled}${icon}</main>`, 'auto');
  expect(text).toContain('$24.95');
  expect(text).toContain('(89)');
  expect(text).not.toMatch(/Price \$|star_icon/);
});

describe('the content of a discussion has', () => {
  const post = (topic: string, count: number) =>
    `<div class="post"><p>${sentence(topic, count)}</p><div class="userBanner">Premium Member</div></div>`;

  test('the short replies beside one long reply', () => {
    const html = `<body class="forum"><h1>T</h1><div>${post('Long', 300)}${post('Short', 15)}</div></body>`;
    expect(textOf(html, 'auto')).toContain('Short says 14');
  });

  test('whom a quote is from', () => {
    const quote = '<blockquote><div class="quote_citation">Ada said:</div><p>It works</p></blockquote>';
    const html = `<body class="forum"><h1>T</h1><div>${quote}<p>${sentence('One')}</p><p>${sentence('Two')}</p></div></body>`;
    expect(textOf(html, 'auto')).toContain('Ada said');
  });

  describe('even where it is a small part of its page', () => {
    const popular = (n: number) => `<div class="popular">${sentence(`Popular ${n}`, 50)}</div>`;
    const around = [1, 2, 3, 4].map(popular).join('');

    test('nothing about its members', () => {
      const text = textOf(`<body class="forum"><h1>T</h1>${post('One', 40)}${around}</body>`, 'auto');
      expect(text).toContain('Popular 4 says 49');
      expect(text).not.toContain('Premium Member');
    });

    test('no comments on an article', () => {
      const comments = `<div id="comments"><p>${sentence('Reply', 60)}</p></div>`;
      const text = textOf(
        `<body><div><h1>T</h1><p>${sentence('Body')}</p></div>${around}${comments}`,
        'auto',
      );
      expect(text).toContain('Popular 4 says 49');
      expect(text).not.toContain('Reply says');
    });
  });
});
