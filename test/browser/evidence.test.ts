import { afterAll, expect, inject, test } from 'vitest';
import { launchChromium } from '../../functions/browser/launch/launch-chromium.ts';
import { documentReader } from '../../functions/browser/page/document-reader.ts';
import { unpackChromium } from '../../infra/constructs/unpack-chromium.ts';

const chromium = await launchChromium({
  chromiumDir: await unpackChromium(),
  proxyUrl: 'http://127.0.0.1:1',
  processes: inject('processes'),
});
afterAll(() => chromium.kill());
const { session } = chromium.tab;
const reader = documentReader(chromium.tab, { on: () => undefined });

const CHROME = '<header>Northwind Traders</header><nav>Home Shop Orders</nav>';
const PROSE = `<p>${'All that we have in store, in one list. '.repeat(10)}</p>`;
const STYLE = `<style>.bar{background:#ddd;width:40%;height:16px}.spin{width:32px;height:32px;animation:turn 1s linear infinite}@keyframes turn{to{rotate:1turn}}</style>`;

async function look(html: string): Promise<string> {
  await session.send('Page.setDocumentContent', {
    frameId: chromium.tab.mainFrame,
    html: `<!DOCTYPE html>${STYLE}${CHROME}<main>${html}</main>`,
  });
  return (await reader.screen()).shows;
}

test.each([
  ['says that it loads', '<p>Loading…</p>'],
  ['says so in another language', '<p>Wird vorbereitet …</p>'],
  ['says so without dots', '<p>Please wait</p>'],
  ['says so in Polish', '<p>Pobieranie plików 3 / 250</p>'],
  ['says so in Czech', '<p>Načítání stránky</p>'],
  ['says so in Greek', '<p>Φόρτωση</p>'],
  ['says so in Hindi', '<p>लोड हो रहा है</p>'],
  ['says so beside a box that nobody can tick', '<label><input type="checkbox" disabled> Verifying</label>'],
  ['counts parts of a whole', '<p>Exported: 37 %</p>'],
  ['counts its steps', '<p>Step 1 of 4</p>'],
  ['says what it does', '<div>Transcoding</div>'],
  ['says what it does in a few words', '<div>Booting the client</div>'],
  ['says that something is at work', '<p>The job is running</p>'],
  ['says that something is done to it', '<p>Your quotation is being calculated.</p>'],
  ['says that it waits for something', '<p>Connected, waiting for the snapshot</p>'],
  ['has dashes for its prices', '<p>Item 1: --.--</p><p>Item 2: --.--</p>'],
  ['has a caret that says what writes', '<p>The harbour was bui<i aria-label="Generating">&nbsp;</i></p>'],
  ['has much text, and a status that says that it is old', `${PROSE}<p role="status">Updating…</p>`],
  ['counts down', '<p>Your download begins in 4 seconds</p>'],
  ['counts down with a marked number', '<p>Your download starts in <b>2</b> s</p>'],
  ['says so before much in the same line', `<p>Loading… <span>${'x'.repeat(90)}</span></p>`],
  ['counts down in tenths', '<p>Noch 2,4 Sekunden</p>'],
  ['has bars in place of its text', '<h1>Orders</h1><div class="bar"></div><div class="bar"></div>'],
  ['has an animation in place of its content', '<h1>Orders</h1><div class="spin"></div>'],
  ['has a stand-in that libraries draw', '<h1>Orders</h1><span class="MuiSkeleton-root">&nbsp;</span>'],
  ['is busy', '<h1>Orders</h1><section aria-busy="true"><p>None</p></section>'],
  ['has a progress bar', '<h1>Orders</h1><div role="progressbar" style="height:4px"></div>'],
  ['has an empty list', '<h1>Orders</h1><ul></ul>'],
  ['has an empty table', '<h1>Orders</h1><table><tr><th>Date</th></tr><tbody></tbody></table>'],
  [
    'has bars that are drawn',
    '<h1>Orders</h1><svg width="600" height="40"><rect width="500" height="16"/></svg>',
  ],
  [
    'has a drawing that turns',
    '<svg width="40" height="40"><circle r="9"><animateTransform attributeName="transform" type="rotate" dur="1s" repeatCount="indefinite"/></circle></svg>',
  ],
  ['has nothing but its frame', '<div id="root"></div>'],
  ['has bars instead of most of its text', `${PROSE}<div class="bar" style="width:100%;height:90vh"></div>`],
])('a page that %s is waiting', async (_, html) => {
  expect(await look(html)).toBe('waiting');
});

test.each([
  ['has a line of text', '<p>Shown</p>'],
  ['has a heading that looks like work', '<h1>Engineering</h1><p>What we build.</p>'],
  ['has a list of what looks like work', '<ul><li>Running</li><li>Hiking</li></ul>'],
  [
    'has a sentence about work',
    '<p>Waiting rooms are open from eight. Bring your papers, please, to the desk there.</p>',
  ],
  ['counts its pages', '<p>Page 1 of 4</p>'],
  ['has much text and a small animation', `${PROSE}<div class="spin"></div>`],
  ['has a small part that is busy', `${PROSE.slice(0, 200)}</p><p aria-busy="true">Loading…</p>`],
  ['has a marked price', '<p>Ten orders, <b>12</b> sorts</p>'],
  ['hides in a line that it loads', '<p>Ten orders <span style="display:none">Loading…</span></p>'],
  ['has a box for what is loading', '<p>Ten orders</p><label><input type="checkbox"> Loading</label>'],
  ['has a button that says that it loads', '<p>Ten orders</p><button>Load more…</button>'],
  [
    'hides that it loads',
    '<p>Ten orders</p><p hidden>Loading…</p><div class="spin" style="visibility:hidden">',
  ],
  ['has an empty place of its own picture', '<p>Ten orders</p><div style="background:url(data:,)">'],
])('a page that %s is showing its content', async (_, html) => {
  expect(await look(html)).toBe('showing');
});

test.each([
  ['has a heading and an empty place', '<h1>Orders</h1><div id="list"></div>'],
  ['has only a picture', '<canvas width="400" height="300"></canvas>'],
])('of a page that %s it is not known', async (_, html) => {
  expect(await look(html)).toBe('unknown');
});

test.each([
  ['a component whose script has not come', '<guest-reviews></guest-reviews>', true],
  ['an empty place with data', '<div data-island="prices"></div>', true],
  ['an empty place with a name', '<div id="prices"></div>', true],
  ['an empty table', '<table><tbody></tbody></table>', true],
  ['a part that loads', '<p>Loading…</p>', true],
  ['a value that is not there', '<dl><dt>Price</dt><dd>–</dd></dl>', true],
  ['a list that has nothing yet', '<p>No orders yet</p>', true],
  ['a place for messages', '<div id="toast-root"></div>', false],
  ['a place that is read out', '<div id="said" aria-live="polite"></div>', false],
  ['an empty place without a name', '<div></div>', false],
  ['a button that says that it loads', '<button>Load more…</button>', false],
  ['nothing more', '', false],
])('much text and %s: %s', async (_, html, hasGap) => {
  expect(await look(`${PROSE}${html}`)).toBe('showing');
  expect((await reader.screen()).hasGap).toBe(hasGap);
});

test('progress is under way if it moves between two looks, until its end', async () => {
  await look(`${PROSE}<progress max="9" value="0"></progress><p>Downloading <b>0 %</b></p>`);
  const isProgressingAfter = async (expression: string) => {
    await session.send('Runtime.evaluate', { expression });
    return (await reader.screen()).isProgressing;
  };
  expect(await isProgressingAfter('0')).toBe(false);
  expect(await isProgressingAfter(`document.querySelector('progress').value = 4`)).toBe(true);
  expect(await isProgressingAfter(`document.querySelector('progress').value = 9`)).toBe(false);
  expect(await isProgressingAfter(`document.querySelector('b').textContent = '41 %'`)).toBe(true);
  expect(await isProgressingAfter(`document.querySelector('b').textContent = '100 %'`)).toBe(false);
});

test('a page that waits and counts is under way, unless it shows its content', async () => {
  const html = '<p>Your download begins <b>in 42 seconds</b></p>';
  await look(html);
  expect((await reader.screen()).isProgressing).toBe(false);
  const counts = `document.querySelector('b').textContent = 'in 41 seconds'`;
  await session.send('Runtime.evaluate', { expression: counts });
  expect((await reader.screen()).isProgressing).toBe(true);
  await look(`${PROSE}${html}`);
  await session.send('Runtime.evaluate', { expression: counts });
  expect((await reader.screen()).isProgressing).toBe(false);
});

test('a line is read as a whole, of which some words are marked', async () => {
  await look('<p>Your download begins in <b>42</b> s</p>');
  await session.send('Runtime.evaluate', { expression: `document.querySelector('b').textContent = '41'` });
  expect((await reader.screen()).isProgressing).toBe(true);
  await look('<p>Loading 3 files, <b>10</b> left</p>');
  for (let looks = 0; looks < 2; looks += 1) expect((await reader.screen()).isProgressing).toBe(false);
});

test('a component is a gap until it has content, in a shadow root too', async () => {
  await look(`${PROSE}<x-stock></x-stock>`);
  const hasGapAfter = async (expression: string) => {
    await session.send('Runtime.evaluate', { expression });
    return (await reader.screen()).hasGap;
  };
  expect(await hasGapAfter(`customElements.define('x-stock', class extends HTMLElement {})`)).toBe(true);
  expect(await hasGapAfter(`document.querySelector('x-stock').textContent = 'Ten left'`)).toBe(false);
  expect(await hasGapAfter(`document.querySelector('x-stock').textContent = ''`)).toBe(true);
  const root = `document.querySelector('x-stock').attachShadow({ mode: 'open' })`;
  expect(await hasGapAfter(`${root}.innerHTML = '<p>Ten left</p>'`)).toBe(false);
});

test('an empty place beside the content of a page is no gap', async () => {
  await look(`${PROSE}</main><div id="shop"></div><main>`);
  expect((await reader.screen()).hasGap).toBe(false);
});

test('words that take turns are distinguished from a clock', async () => {
  await look('<p>Ten orders</p>');
  const say = async (text: string) => {
    await session.send('Runtime.evaluate', {
      expression: `document.querySelector('p').textContent = '${text}'`,
    });
    return (await reader.screen()).isRotating;
  };
  expect([await say('12:01'), await say('12:02')]).toEqual([false, false]);
  expect([await say('Seals sleep'), await say('Knots are miles'), await say('Herring is a tax')]).toEqual([
    false,
    false,
    true,
  ]);
});

test('the text of open shadow roots counts', async () => {
  expect(await look('<x-page></x-page>')).toBe('waiting');
  await session.send('Runtime.evaluate', {
    expression: `document.querySelector('x-page').attachShadow({ mode: 'open' }).innerHTML = '<p>Ten orders</p>'`,
  });
  expect((await reader.screen()).shows).toBe('showing');
});

test('a look at a huge page stays short, and grows with it', async () => {
  await look(`<ul>${'<li><a href="/">An order</a></li>'.repeat(60_000)}</ul>`);
  const { shows, size } = await reader.screen();
  expect([shows, size < 50_000]).toEqual(['showing', true]);
  await look('<p>Ten orders</p>');
  const small = (await reader.screen()).size;
  await look('<p>Ten orders</p><p>One more</p>');
  expect((await reader.screen()).size).toBeGreaterThan(small);
});
