import { afterAll, expect, test } from 'vitest';
import { openBrowsers } from '../support/browser/chromium.ts';
import { extent } from '../support/world/extent.ts';
import { renderSite } from '../support/servers/render-site.ts';

/** The fifth of it that is left to read the page is enough for a busy machine. */
const SHORT_MS = 4_000;

const after = (ms: number, code: string) => `<script>setTimeout(() => { ${code} }, ${ms})</script>`;
const id = (name: string) => `document.body.id += '${name}'`;

/** What comes after the awaited phase takes too long to slip in on a slow machine. */
const phases = (frame: string, laterMs: number) => `<body><script>
    addEventListener('DOMContentLoaded', () => { ${id('parsed ')} });
    addEventListener('load', () => { ${id('loaded ')}; setTimeout(() => { ${id('later ')}; fetch('/slow').then(() => { ${id('fetched ')} }); }, ${laterMs}); });
    </script><iframe src=${frame}></iframe>`;

const site = await renderSite({
  '/domcontentloaded': phases('/unanswered', 150),
  '/load': phases('/slow', 60_000),
  '/networkidle': phases('/slow', 150),
  '/unanswered': () => undefined,
  '/slow': (_, response) => void setTimeout(() => response.end('slow'), 500),
  '/live': `<body>${after(0, "new WebSocket('ws://' + location.host + '/socket'); new EventSource('/events')")}`,
  '/events': (_, response) =>
    void response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write(':\n\n'),
  '/polls': `<body><script>setInterval(() => fetch('/poll'), 100)</script>polls`,
  '/poll': (_, response) => response.end('.'),
  '/late': `<body>${after(700, `document.body.innerHTML = '<p class=late>late</p>'`)}`,
  '/moves': `<body>${after(300, "location = '/late'")}`,
  '/hangs': `<body><p>before</p>${after(300, "const until = Date.now() + 300; while (new Date() < until); document.body.id = 'after'")}`,
  '/never': '<p>before</p><script>for (;;);</script>',
  '/never-loads': '<p>before</p><script>onload = () => { for (;;); }</script>',
  '/never-again': `<p>before</p>${after(50, 'for (;;);')}`,
  '/still': '<p>still',
  '/ticks': `<body><script>setInterval(() => { document.body.dataset.age = Math.round(performance.now()) }, 20)</script>`,
});
const browser = await openBrowsers(site.host);
afterAll(() => Promise.all([browser, site].map((open) => open[Symbol.asyncDispose]())));

test.each([
  ['domcontentloaded', 'parsed '],
  ['load', 'parsed loaded '],
  ['networkidle', 'parsed loaded later fetched '],
] as const)('%s returns the page at "%s"', async (waitUntil, reached) => {
  const { answer, html } = await browser.render(`${site.origin}/${waitUntil}`, 20_000, { waitUntil });
  expect(answer).toMatchObject({ renderState: 'complete' });
  expect(html).toContain(`<body id="${reached}">`);
});

test('networkidle does not wait for sockets and event streams', async () => {
  const { answer, ms } = await browser.render(`${site.origin}/live`, 20_000, { waitUntil: 'networkidle' });
  expect(answer).toMatchObject({ renderState: 'complete' });
  expect(ms).toBeGreaterThan(500);
});

test('networkidle returns a page that polls forever as partial', { tags: ['soak'] }, async () => {
  const { answer, ms } = await browser.render(`${site.origin}/polls`, 60_000, { waitUntil: 'networkidle' });
  expect(answer).toMatchObject({ outcome: 'page', renderState: 'partial' });
  expect(ms).toBeLessThan(30_000);
});

test.each(['/late', '/moves'])('wait_for waits for the element: %s', async (path) => {
  const wishes = { waitUntil: 'domcontentloaded', waitFor: 'p.late' } as const;
  const { answer, html } = await browser.render(`${site.origin}${path}`, 20_000, wishes);
  expect(answer).toMatchObject({ renderState: 'complete', url: `${site.origin}/late` });
  expect(html).toContain('<p class="late">');
});

test('wait_for without a match returns the page as partial at the deadline', async () => {
  const { answer, html, ms } = await browser.render(`${site.origin}/still`, SHORT_MS, { waitFor: '#never' });
  expect(answer).toMatchObject({ outcome: 'page', status: 200, renderState: 'partial' });
  expect(html).toContain('<p>still</p>');
  expect(ms).toBeGreaterThan(1_500);
  expect(ms).toBeLessThan(35_000);
});

test('the deadline counts from the start of the request', async () => {
  const wishes = { waitFor: '#never', deadlineAt: Date.now() + 5_000 };
  const { answer, ms } = await browser.render(`${site.origin}/still`, 90_000, wishes);
  expect(answer).toMatchObject({ outcome: 'page', renderState: 'partial' });
  expect(ms).toBeLessThan(45_000);
});

test.each(['p:nth-child(of)', 'p::no-such'])(
  'the invalid selector "%s" in wait_for is refused',
  async (waitFor) => {
    const asked = site.asked.length;
    const { answer } = await browser.render(`${site.origin}/still`, 20_000, { waitFor });
    expect(answer).toMatchObject({ code: 'invalid_request', fields: { param: 'wait_for' } });
    expect(site.asked).toHaveLength(asked);
  },
);

test('a page that makes dates in a loop is returned unsettled', { tags: ['soak'] }, async () => {
  const { answer, html, ms } = await browser.render(`${site.origin}/hangs`, 70_000, {});
  expect(answer).toMatchObject({ outcome: 'page', renderState: 'partial' });
  expect(html).toContain('<p>before</p>');
  expect(ms).toBeLessThan(60_000);
});

const ENDLESS = [
  ['/never', 'domcontentloaded'],
  ['/never-again', 'settled'],
  ['/never-loads', 'load'],
  ['/never-loads', 'settled'],
] as const;

// Each keeps a core busy to its deadline, like the page that spins in hostile.test.ts.
test.each(extent([], ENDLESS))(
  'a script that never ends leaves the page as partial: %s, %s',
  async (path, waitUntil) => {
    const { answer, html } = await browser.render(`${site.origin}${path}`, SHORT_MS, { waitUntil });
    expect(answer).toMatchObject({ outcome: 'page', renderState: 'partial' });
    expect(html).toContain('<p>before</p>');
  },
);

test('a script that never ends after the network was idle leaves the page', { tags: ['soak'] }, async () => {
  const wishes = { waitUntil: 'networkidle' } as const;
  const { answer, html } = await browser.render(`${site.origin}/never-again`, SHORT_MS, wishes);
  expect(answer).toMatchObject({ outcome: 'page' });
  expect(html).toContain('<p>before</p>');
});

test('wait starts after all other conditions', async () => {
  const age = async (wait: number) => {
    const { html } = await browser.render(`${site.origin}/ticks`, 20_000, { waitUntil: 'load', wait });
    return Number(/data-age="(\d+)"/.exec(html)?.[1] ?? 0);
  };
  expect(await age(2_000)).toBeGreaterThan(1_900);
  expect(await age(0)).toBeLessThan(1_900);
});

test('a navigation during wait is followed', async () => {
  const wishes = { waitUntil: 'load', wait: 500 } as const;
  const { answer } = await browser.render(`${site.origin}/moves`, 20_000, wishes);
  expect(answer).toMatchObject({ url: `${site.origin}/late`, redirects: 1, renderState: 'complete' });
});

test('a wait longer than the timeout returns the page as partial', { tags: ['soak'] }, async () => {
  const { answer, html } = await browser.render(`${site.origin}/still`, SHORT_MS, { wait: 30_000 });
  expect(answer).toMatchObject({ renderState: 'partial' });
  expect(html).toContain('<p>still</p>');
});
