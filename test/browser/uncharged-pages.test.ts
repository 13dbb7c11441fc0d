import type { ServerResponse } from 'node:http';
import { afterAll, expect, test } from 'vitest';
import type { JsScenario } from '../../shared/contract/scrape/js-scenario.ts';
import { isCharged } from '../../shared/domain/accounts/credits/charge.ts';
import { judge } from '../../shared/domain/scrape/verdict/judge.ts';
import { browserPool } from '../support/browser/browser-pool.ts';
import { renderSite } from '../support/servers/render-site.ts';

const TARGET = `<h1>the page</h1>${'<p>and words that somebody wants for nothing</p>'.repeat(40)}`;
const down = (html: string) => (_: unknown, response: ServerResponse) =>
  response.writeHead(500, { 'Content-Type': 'text/html' }).end(html);
const site = await renderSite({
  '/page': `<html><body>${TARGET}<script>document.body.append('rendered')</script></body></html>`,
  '/down': down('<p>own words</p>'),
  '/carrier': down('<p>own words</p><script>document.body.append(window.name)</script>'),
  '/busy': (_, response) =>
    response
      .writeHead(200, { 'Content-Type': 'text/html', 'cf-mitigated': 'challenge' })
      .end('<p>own words</p><script>document.body.append(window.name)</script>'),
});
const browser = await browserPool(2, [site.host]);
afterAll(() => Promise.all([browser, site].map((open) => open[Symbol.asyncDispose]())));

type Instructions = JsScenario['instructions'];
const KEEP = { evaluate: 'window.name = sessionStorage.kept = document.body.innerHTML' };
const go = (path: string): Instructions => [
  { evaluate: `location.href = '${path}'` },
  { wait_for_navigation: true },
];

const WAYS: readonly [string, Instructions][] = [
  ['by the name of its window', [KEEP, ...go('/carrier')]],
  ['by the name of its window, on a wall', [KEEP, ...go('/busy')]],
  ['by a script', [KEEP, ...go('/down'), { evaluate: 'document.body.innerHTML = sessionStorage.kept' }]],
  [
    'by a document that a script makes',
    [KEEP, ...go('/down'), { evaluate: "location.href = 'javascript:name'" }, { wait: 200 }],
  ],
];

test.each(WAYS)('what a page showed is not delivered by an error page, %s', async (_, instructions) => {
  const { answer, html } = await browser.render(`${site.origin}/page`, 20_000, {
    jsScenario: { instructions },
    screenshot: {},
  });
  expect(answer).toMatchObject({ outcome: 'page' });
  expect(answer).not.toHaveProperty('pictures');
  expect(html).not.toContain('somebody wants');
  expect(html === '' || html.includes('own words')).toBe(true);
});

test('a wall that a script draws is a page, and charged as one', async () => {
  const drawn = `document.head.innerHTML = '<title>Just a moment...</title>';
    document.body.innerHTML = '<form data-kept="' + document.body.innerText + '"></form><script src="/cdn-cgi/challenge-platform/x"></' + 'script>'`;
  const requested = `${site.origin}/page`;
  const { answer, html } = await browser.render(requested, 20_000, {
    jsScenario: { instructions: [{ evaluate: drawn }] },
  });
  if (answer.outcome !== 'page') throw new Error('There is no page.');
  const { status, url, redirects, contentType } = answer;
  const shown = { status, url, redirects, contentType, body: Buffer.from(html) };
  expect(isCharged({ ...shown, verdict: judge(shown, requested) })).toBe(false);
  expect(answer.verdict?.kind).toBe('page');
});
