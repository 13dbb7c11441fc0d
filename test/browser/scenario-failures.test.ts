import { afterAll, describe, expect, test } from 'vitest';
import type { JsScenario } from '../../shared/contract/scrape/js-scenario.ts';
import { Instruction } from '../../shared/contract/scrape/scenario.ts';
import { type Action, stepOf } from '../../shared/domain/scrape/scenario/steps.ts';
import { page } from '../fixtures/scenarios/scenario-case.ts';
import { browserPool } from '../support/browser/browser-pool.ts';
import { extent } from '../support/world/extent.ts';
import { html, renderSite } from '../support/servers/render-site.ts';
import { canary } from '../support/servers/target-server.ts';

const forbidden = await canary();
const site = await renderSite({
  '/page': page(
    `<button id="go" onclick="document.title = 'gone'">Go</button><button id="off" disabled>Off</button><p id="hidden" style="display:none">x</p>
     <button id="below" style="position:absolute;top:400px">Below</button><div class="veil top" style="position:absolute;inset:0;top:300px"></div>
     <input id="text"><input id="locked" readonly><select id="one"><option>A</select><input id="day" type="date"><div id="mover">m</div>
     <style>@keyframes walk { to { margin-left: 500px } } #mover { animation: walk 1s linear infinite alternate }</style>`,
  ),
  '/still': page('<p>still</p>'),
  '/down': (_, response) => html(response, '<p>down for a while, in words</p>', 503),
  '/wall': (_, response) =>
    response.writeHead(403, { 'Content-Type': 'text/html', 'cf-mitigated': 'challenge' }).end('<p>wait</p>'),
  '/trap': page('<div style="width: 5000px; height: 5000px">still</div>', 'onscroll = () => { for (;;); }'),
  '/windows': page(
    `<a id="a" href="/still" target="_blank">a</a><button id="b" onclick="window.open('/still?x=1')">b</button><button id="c" onclick="document.title = confirm('Sure?') + ' ' + prompt('Name?')">c</button>`,
  ),
  '/leaving': page(
    `<a id="private" href="${forbidden.origin}/secret">p</a><a id="file" href="file:///etc/passwd">f</a><a id="pdf" href="/file.pdf">d</a><a id="nothing" href="/204">n</a>`,
  ),
  '/file.pdf': (_, response) => response.writeHead(200, { 'Content-Type': 'application/pdf' }).end('%PDF-'),
  '/204': (_, response) => response.writeHead(204).end(),
  '/form': page('<form action="/found"><input name="q" id="q"><button>Find</button></form>'),
  '/circle': page(
    '<button id="start">s</button>',
    `const go = () => { location = '/circle?' + Math.random() }; start.onclick = go; if (location.search) go()`,
  ),
  '/found': page('<h1>Found</h1>'),
});
const browser = await browserPool(3, [site.host]);
afterAll(() => Promise.all([browser, site, forbidden].map((open) => open[Symbol.asyncDispose]())));

type Instructions = JsScenario['instructions'];
async function run(path: string, instructions: Instructions, strict = true, timeoutMs = 20_000) {
  const rendered = await browser.render(`${site.origin}${path}`, timeoutMs, {
    jsScenario: { instructions, strict },
  });
  return { ...rendered, steps: rendered.answer.report?.steps ?? [] };
}
const SOON = { timeout: 300 };

type Failing = readonly [Instructions[number], string];

/** More ways to a large value, each of which takes a second to make. */
const LARGE: readonly Failing[] = [
  [{ evaluate: 'const big = "x".repeat(3e8); big' }, 'the result of the script is larger than 1 MB'],
  [{ evaluate: 'if (true) { "x".repeat(3e8) } else 0' }, 'the result of the script is larger than 1 MB'],
  [{ evaluate: 'for (const n of [3e8]) "x".repeat(n);' }, 'the result of the script is larger than 1 MB'],
  [{ evaluate: 'var own = 1\nPromise.resolve("x".repeat(3e8))' }, 'is larger than 1 MB'],
  [{ evaluate: 'Promise.resolve("x".repeat(3e8));' }, 'the result of the script is larger than 1 MB'],
  [{ evaluate: 'let huge = "x".repeat(3e8); throw huge' }, 'the script threw xxx'],
  [{ evaluate: 'throw new Error("x".repeat(3e8))' }, 'the script threw Error: xxx'],
  [{ evaluate: 'Promise.reject(Symbol("x".repeat(3e8)))' }, 'the script threw'],
];

const FAILING: readonly Failing[] = [
  ...extent([], LARGE),
  [{ click: { selector: '#none', ...SOON } }, "no element matches '#none' within 300 ms"],
  [{ click: { selector: '//a[9]', ...SOON } }, "no element matches '//a[9]' within 300 ms"],
  [{ click: { selector: 'text=Nowhere', ...SOON } }, "no element matches 'text=Nowhere' within 300 ms"],
  [{ click: { selector: '#hidden', ...SOON } }, "'#hidden' is not visible within 300 ms"],
  [{ click: { selector: '#off', ...SOON } }, "'#off' is disabled within 300 ms"],
  [{ hover: { selector: '#none', ...SOON } }, "no element matches '#none' within 300 ms"],
  [{ drag: { selector: '#none', by_x: 1, ...SOON } }, "no element matches '#none' within 300 ms"],
  [{ fill: ['#go', 'x'] }, "'#go' is not a text field"],
  [{ fill: ['#locked', 'x'] }, "'#locked' is read-only"],
  [{ fill: ['#day', 'tomorrow'] }, "'#day' is of type date and does not take this value"],
  [{ type: ['#one', 'x'] }, "'#one' is not a text field"],
  [{ press: 'Ctrl+x' }, "there is no key 'Ctrl+x'"],
  [{ select: { selector: '#one', value: 'B', ...SOON } }, "'#one' has no such option within 300 ms"],
  [{ select: ['#text', 'B'] }, "'#text' is not a select"],
  [{ check: '#text' }, "'#text' is neither a checkbox nor a radio button"],
  [{ uncheck: { selector: '#none', ...SOON } }, "no element matches '#none' within 300 ms"],
  [{ scroll_to: { selector: '#none', ...SOON } }, "no element matches '#none' within 300 ms"],
  [{ wait_for: { selector: '#hidden', ...SOON } }, "'#hidden' is not visible within 300 ms"],
  [{ wait_for_text: { text: 'Nowhere', ...SOON } }, 'the text is not on the page within 300 ms'],
  [{ wait_for_url: { url: '*/other', ...SOON } }, "the URL does not match '*/other' within 300 ms"],
  [{ wait_for_response: { url: '/api', ...SOON } }, "no response came from '/api' within 300 ms"],
  [{ wait_for_navigation: SOON }, 'the page did not navigate within 300 ms'],
  [{ remove: { selector: '#none', ...SOON } }, "no element matches '#none' within 300 ms"],
  [{ evaluate: 'throw new Error("broken")' }, 'the script threw Error: broken'],
  [{ evaluate: 'Promise.reject(7)' }, 'the script threw 7'],
  [{ evaluate: 'syntax error' }, 'the script threw SyntaxError: Unexpected identifier'],
  [{ evaluate: '"x".repeat(1e6 + 1)' }, 'the result of the script is larger than 1 MB'],
  [{ evaluate: '"x".repeat(3e8)' }, 'the result of the script is larger than 1 MB'],
  [
    { evaluate: 'let deep = {}; for (let n = 0; n < 600; n++) deep = { deep }; deep' },
    'nested more than 512 deep',
  ],
  [{ evaluate: '["x".repeat(1e6)]' }, 'the result of the script is larger than 1 MB'],
  [{ evaluate: 'const a = {}; a.a = a; a' }, 'the result of the script cannot be written as JSON'],
  [{ click: '//a[' }, "'//a[' is not a selector that Chromium knows"],
  [{ wait_for_and_click: { selector: '#hidden', ...SOON } }, "'#hidden' is not visible within 300 ms"],
  [{ infinite_scroll: { end_click: { selector: '//a[' } } }, "'//a[' is not a selector that Chromium knows"],
  [{ if: { selector: '//a[', then: [] } }, "'//a[' is not a selector that Chromium knows"],
  [{ repeat: { until: '//a[', do: [{ wait: 1 }] } }, "'//a[' is not a selector that Chromium knows"],
];
/** These fail in tests of their own; `exit` never does. */
const ELSEWHERE: readonly Action[] = ['wait', 'scroll_x', 'scroll_y', 'screenshot', 'exit'];

const OWN_JSON: readonly [own: string, reason: string][] = [
  ['() => "no JSON"', 'the result of the script cannot be written as JSON'],
  ['() => "x".repeat(3e8)', 'the result of the script is larger than 1 MB'],
  ['() => { throw new Error("x".repeat(3e8)) }', 'cannot be written as JSON'],
  ['() => ({ length: 1, toString: () => "x".repeat(3e8) })', 'cannot be written as JSON'],
];

describe.concurrent('an instruction that cannot be done', () => {
  // In one scenario, for each page costs a browser.
  const tried = run(
    '/page',
    FAILING.map(([instruction]) => instruction),
    false,
    60_000,
  );
  test.each(FAILING.map((each, index) => [...each, index] as const))(
    '%j says why',
    async (_, reason, index) => {
      const { steps } = await tried;
      const step = steps.find(({ path }) => path === `instructions[${index}]`);
      expect(step).toMatchObject({ index, status: 'failed' });
      expect(step?.error).toContain(reason);
    },
  );

  test('ends a strict scenario', async () => {
    const { answer, steps } = await run('/page', [{ fill: ['#locked', 'x'] }, { click: '#go' }]);
    expect(answer).toMatchObject({ outcome: 'error', code: 'scenario_failed', report: { ok: false } });
    expect(steps).toMatchObject([{ index: 0, path: 'instructions[0]', status: 'failed' }]);
  });

  test.each([
    ['/page', 200, 'page', /^The scenario failed at/],
    ['/down', 503, 'page', /^The target answered with status 503. The scenario failed at/],
    [
      '/wall',
      403,
      'bot_wall',
      /^The target answered with status 403, and the page is a bot wall \(cloudflare\)/,
    ],
  ])('on %s is reported with status %i and the verdict %s', async (path, status, verdict, message) => {
    const { answer } = await run(path, [{ click: { selector: '#none', timeout: 0 } }]);
    expect(answer).toMatchObject({
      ...{ code: 'scenario_failed', message: expect.stringMatching(message) as string },
      fields: { target_status: status, target_url: `${site.origin}${path}`, verdict },
    });
  });

  test.each(extent(OWN_JSON.slice(0, 1), OWN_JSON))(
    'of a script on a page that writes JSON by %s is bounded',
    async (own, reason) => {
      const { steps } = await run(
        '/page',
        [{ evaluate: `JSON.stringify = ${own}` }, { evaluate: '({})' }],
        false,
      );
      expect(steps.map(({ error }) => error)).toEqual([
        expect.stringContaining('') as string,
        expect.stringContaining(reason) as string,
      ]);
    },
  );

  test('is tested for every kind', () => {
    const failing = FAILING.map(([instruction]) => stepOf(instruction).action);
    expect(
      Object.keys(Instruction.shape)
        .filter((action) => !failing.includes(action as Action))
        .sort(),
    ).toEqual([...ELSEWHERE].sort());
  });
});

describe.concurrent('a scenario', () => {
  test('continues after a failure if it is not strict, and its page is partial', async () => {
    const { answer, html, steps } = await run(
      '/page',
      [
        { click: { selector: '#none', ...SOON } },
        { click: { selector: '#no', ...SOON, optional: true } },
        { click: '#go' },
      ],
      false,
    );
    expect(answer).toMatchObject({ outcome: 'page', renderState: 'partial', report: { ok: false } });
    expect(steps.map(({ status }) => status)).toEqual(['failed', 'skipped', 'ok']);
    expect(html).toContain('<title>gone</title>');
  });

  test.each([
    ['is covered by <div.veil.top>', '#below'],
    ['is moving', '#mover'],
  ])('does not click an element that %s', async (reason, selector) => {
    const { steps } = await run('/page', [{ click: { selector, ...SOON } }]);
    expect(steps).toMatchObject([{ error: `'${selector}' ${reason} within 300 ms` }]);
  });

  test('with a step that is skipped is complete', async () => {
    const { answer } = await run('/page', [{ click: { selector: '#no', ...SOON, optional: true } }]);
    expect(answer).toMatchObject({ outcome: 'page', renderState: 'complete', report: { ok: true } });
  });

  const TRAPS = [
    ['a wait', { wait: 60_000 }, 'load', true],
    ['a script that never ends', { evaluate: 'while (true);' }, 'settled', true],
    ['a promise that never resolves', { evaluate: 'new Promise(() => {})' }, 'settled', false],
    ['a page that hangs when it scrolls down', { scroll_y: 10 }, 'settled', false],
    ['a wait, not strictly', { wait: 60_000 }, 'load', false],
    ['an element that never comes', { wait_for: { selector: '#none', timeout: 120_000 } }, 'load', true],
    ['a script that never ends, not strictly', { evaluate: 'while (true);' }, 'settled', false],
    ['a page that hangs when it scrolls right', { scroll_x: 10 }, 'settled', true],
  ] as const;

  test.each(extent(TRAPS.slice(0, 3), TRAPS))(
    'that waits for %s ends with the time of the request',
    async (_, instruction, waitUntil, strict) => {
      const { answer, ms } = await browser.render(`${site.origin}/trap`, 2_500, {
        jsScenario: { instructions: [instruction, { click: '#never' }], strict },
        waitUntil,
      });
      expect(ms).toBeLessThan(30_000);
      expect(answer.report?.steps).toMatchObject([
        { status: 'failed', error: "the request's time ran out", url: `${site.origin}/trap` },
      ]);
      expect(answer).toMatchObject(
        strict ? { code: 'scenario_failed' } : { outcome: 'page', renderState: 'partial' },
      );
    },
  );

  test('of endless rounds ends after 2,000 steps', { tags: ['soak'] }, async () => {
    const rounds = { repeat: { times: 1_000, do: [{ if: { selector: 'b', then: [] } }] } };
    const { answer, steps } = await run('/still', [rounds, rounds], false, 110_000);
    expect(answer.outcome).toBe('page');
    expect(steps.length).toBe(2_001);
    expect(steps.at(-1)?.error).toBe('there are more than 2000 steps');
  });

  test('that navigates to a private address ends as url_not_allowed, and nothing is sent there', async () => {
    for (const instruction of [
      { click: '#private' },
      { evaluate: `location.href = '${forbidden.origin}/'` },
      { evaluate: `fetch('${forbidden.origin}/').then((r) => r.text())` },
    ]) {
      const { answer } = await run('/leaving', [instruction, { wait: 200 }]);
      expect(answer).toMatchObject({ outcome: 'error' });
      expect(['url_not_allowed', 'scenario_failed']).toContain('code' in answer && answer.code);
    }
    expect(forbidden.connections()).toBe(0);
  });

  test('ends as too_many_redirects if an act makes the page go in circles', async () => {
    const { answer, steps } = await run('/circle', [{ click: '#start' }, { wait: 20_000 }]);
    expect(answer).toMatchObject({ code: 'too_many_redirects' });
    expect(steps.at(-1)).toMatchObject({ status: 'failed', error: 'the scrape ended: too_many_redirects' });
  });

  test('cannot open files of the machine', async () => {
    const { html, answer } = await run(
      '/leaving',
      [{ click: '#file' }, { evaluate: "location = 'file:///etc/passwd'" }],
      false,
    );
    expect(answer.outcome).toBe('page');
    expect(html).not.toContain('root:');
    expect(html).toContain('id="file"');
  });

  test('that ends at a file returns the file, with its report', async () => {
    const { answer, steps, body } = await run('/leaving', [{ click: '#pdf' }, { wait: 5_000 }]);
    expect(answer).toMatchObject({ outcome: 'page', contentType: 'application/pdf' });
    expect(steps).toMatchObject([{ step: 'click', status: 'ok', url: `${site.origin}/file.pdf` }]);
    expect(body.toString()).toBe('%PDF-');
  });

  test('continues on the same page after an empty response', async () => {
    const { answer, steps } = await run('/leaving', [{ click: '#nothing' }, { evaluate: '1 + 1' }]);
    expect(answer.outcome).toBe('page');
    expect(steps).toMatchObject([{ status: 'ok' }, { result: 2 }]);
  });

  test('opens no window, but reports it, and dismisses dialogs', async () => {
    const { html, steps } = await run('/windows', [{ click: '#a' }, { click: '#b' }, { click: '#c' }]);
    const opened = [`${site.origin}/still`];
    expect(steps).toMatchObject([{ opened }, { opened }, { status: 'ok' }]);
    expect(html).toContain('<title>false null</title>');
  });

  test('reports no query and nothing that was typed', async () => {
    const { answer, steps } = await run('/form', [
      { fill: ['#q', 'very-secret'] },
      { click: 'text=Find' },
      { wait_for: 'h1' },
      { evaluate: "throw new Error('not very-secret')" },
    ]);
    expect(JSON.stringify(answer)).not.toContain('very-secret');
    expect(steps.map(({ url }) => url.replace(site.origin, ''))).toEqual([
      '/form',
      '/found',
      '/found',
      '/found',
    ]);
    expect(steps.at(-1)?.error).toContain('the script threw Error: not ***');
  });

  test('names nested steps by their path', async () => {
    const { steps } = await run('/page', [
      { if: { selector: '#go', then: [{ repeat: { times: 2, do: [{ wait: 1 }] } }] } },
      { exit: true },
      { click: '#never' },
    ]);
    const inner = 'instructions[0].if.then[0]';
    expect(steps.map(({ index, path }) => [index, path])).toEqual([
      [0, 'instructions[0]'],
      [0, inner],
      [0, `${inner}.repeat.do[0]`],
      [0, inner],
      [0, `${inner}.repeat.do[0]`],
      [1, 'instructions[1]'],
    ]);
  });
});
