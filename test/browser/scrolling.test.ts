import { afterAll, expect, test } from 'vitest';
import type { RenderRequest } from '../../shared/contract/scrape/messages.ts';
import { browserPool } from '../support/browser/browser-pool.ts';
import { html, renderSite, type Respond } from '../support/servers/render-site.ts';

const rows = (from: number, count: number) =>
  Array.from({ length: count }, (_, n) => `<div class="row">row ${from + n}.</div>`).join('');
const ROWS = '.row{height:300px}';

/** Each part of the feed takes a while, and the last one is empty. */
const part: Respond = (request, response) => {
  const from = Number(new URL(request.url ?? '', 'http://a').searchParams.get('from'));
  setTimeout(() => html(response, from < 60 ? rows(from, 10) : ''), 150);
};
const feed = (
  of: string,
  box: string,
  scroller: string,
  afterMs = 200,
) => `<style>body{margin:0}${ROWS}${box}</style>
  ${of}${rows(0, 10)}<div id="end" style="height:1px"></div>${of ? '</main>' : ''}<script>
  let next = 10, isBusy = false;
  const more = async () => {
    if (isBusy) return;
    isBusy = true;
    const text = await (await fetch('/part?from=' + next)).text();
    document.getElementById('end').insertAdjacentHTML('beforebegin', text.replace('<!DOCTYPE html>', ''));
    next += 10;
    isBusy = false;
  };
  let timer;
  ${scroller}.addEventListener('scroll', () => {
    clearTimeout(timer);
    timer = setTimeout(() => { if (document.getElementById('end').getBoundingClientRect().top < 2000) more() }, ${afterMs});
  });</script>`;

const site = await renderSite({
  '/watched': `<style>.row{height:900px}</style>${Array.from({ length: 8 }, (_, n) => `<div class="row" data-n="${n}">…</div>`).join('')}
    <script>const seen = new IntersectionObserver((all) => all.forEach(({ isIntersecting, target }) => {
      if (!isIntersecting) return;
      seen.unobserve(target);
      fetch('/text?n=' + target.dataset.n).then((each) => each.text()).then((text) => (target.textContent = text));
    }));
    document.querySelectorAll('.row').forEach((each) => seen.observe(each));
    addEventListener('scroll', () => (document.title = 'at ' + scrollY))</script>`,
  '/text': (request, response) =>
    void setTimeout(() => response.end(`text ${request.url?.split('=')[1]}.`), 60),
  '/lazy': `<div style="height:9000px"></div><img loading="lazy" src="/none.png" width="100" height="100"
    onload="document.title = 'it came'">`,
  '/feed': feed('', '', 'window'),
  '/late-feed': feed('', '', 'window', 700),
  '/inside': feed(
    '<main>',
    'body{overflow:hidden}main{height:100vh;overflow-y:auto}',
    "document.querySelector('main')",
  ),
  '/part': part,
  '/endless': `<style>body{margin:0}.row{height:1000px}</style>${rows(0, 2)}<script>
    addEventListener('scroll', () => document.body.insertAdjacentHTML('beforeend', '<div class="row">more.</div>'))</script>`,
  '/progress': `<progress id="bar" value="0"></progress><p>${'Words of the page. '.repeat(30)}</p><div style="height:5000px"></div><script>
    const move = setInterval(() => (bar.value += 0.001), 100);
    addEventListener('scroll', () => { clearInterval(move); bar.value = 1; });
  </script>`,
  '/leaves': `<div style="height:5000px"></div><script>addEventListener('scroll', () => location.replace('/left'))</script>`,
  '/left': '<p>The other page</p>',
  '/stuck': `<div style="height:5000px"></div><p>Here</p><script>addEventListener('scroll', () => { for (;;); })</script>`,
});
const browsers = await browserPool(2, [site.host]);
afterAll(() => Promise.all([browsers, site].map((open) => open[Symbol.asyncDispose]())));

async function rendered(path: string, wishes: Partial<RenderRequest> = { scroll: true }, ms = 60_000) {
  const { answer, body } = await browsers.render(site.origin + path, ms, wishes);
  if (answer.outcome !== 'page') throw new Error(`${answer.code}: ${answer.message}`);
  return { state: answer.renderState, html: body.toString() };
}

const count = (text: string, word: RegExp) => text.match(word)?.length;

test('what loads as it comes into view is in a page that was scrolled, and only there', async () => {
  const { state, html: page } = await rendered('/watched');
  expect([state, count(page, /text \d\./g)]).toEqual(['complete', 8]);
  // Back at its top, and without a mark of it.
  expect(page).toContain('<title>at 0</title>');
  expect(page).not.toContain('style="');
  expect(count((await rendered('/watched', {})).html, /text \d\./g)).toBeLessThan(4);
});

test('an image that loads lazily is loaded, though images are left out', async () => {
  expect((await rendered('/lazy')).html).toContain('<title>it came');
  expect((await rendered('/lazy', {})).html).not.toContain('<title>it came');
});

test('a feed is loaded to its end', { tags: ['soak'] }, async () => {
  const { state, html: page } = await rendered('/feed');
  expect([state, count(page, /row \d+\./g)]).toEqual(['complete', 60]);
});

test('a feed that waits before it requests more is loaded to its end', async () => {
  const { state, html: page } = await rendered('/late-feed');
  expect([state, count(page, /row \d+\./g)]).toEqual(['complete', 60]);
});

test('a feed inside of a fixed frame is loaded to its end', { tags: ['soak'] }, async () => {
  const { state, html: page } = await rendered('/inside');
  expect([state, count(page, /row \d+\./g)]).toEqual(['complete', 60]);
});

test('a feed is loaded as well by the clock of the wall', { tags: ['soak'] }, async () => {
  const { html: page } = await rendered('/feed', { scroll: true, waitUntil: 'load' });
  expect(count(page, /row \d+\./g)).toBe(60);
});

test('a feed that never ends is left after 60 windows', async () => {
  const { state, html: page } = await rendered('/endless');
  expect(state).toBe('complete');
  expect(count(page, /more\./g)).toBeGreaterThan(50);
  expect(count(page, /more\./g)).toBeLessThan(200);
});

test('an element that only scrolling brings is waited for', { tags: ['soak'] }, async () => {
  const { state } = await rendered('/feed', { scroll: true, waitFor: '.row:nth-of-type(55)' });
  expect(state).toBe('complete');
});

test('a page is scrolled after its scenario', async () => {
  const jsScenario = {
    instructions: [
      { evaluate: "document.querySelectorAll('.row').forEach((each) => (each.dataset.n += 'b'))" },
    ],
  };
  const { html: page } = await rendered('/watched', { scroll: true, jsScenario });
  expect(count(page, /text \db\./g)).toBeGreaterThan(4);
});

test('progress that scrolling ends is no reason to call a page partial', async () => {
  expect((await rendered('/progress', {})).state).toBe('partial');
  expect((await rendered('/progress')).state).toBe('complete');
});

test('a page that navigates during the scroll is returned after the navigation', async () => {
  expect(await rendered('/leaves')).toMatchObject({
    html: expect.stringContaining('The other page') as string,
  });
});

test('a page whose scripts never end once it is scrolled is partial', { tags: ['soak'] }, async () => {
  const { state, html: page } = await rendered('/stuck', { scroll: true }, 6_000);
  expect([state, page.includes('Here')]).toEqual(['partial', true]);
});
