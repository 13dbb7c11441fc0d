import { expect, test } from 'vitest';
import type { Page } from '../../shared/contract/scrape/page.ts';
import type { ScrapeRequest } from '../../shared/contract/scrape/scrape-request.ts';
import type { Action } from '../../shared/domain/scrape/scenario/steps.ts';
import { AppError } from '../../shared/errors.ts';
import type { GetPage } from '../../shared/ports/scrape.ts';
import { serviceOver } from '../support/world/api.ts';
import { inMemoryWorld } from '../support/world/in-memory-world.ts';
import { page } from '../support/world/pages.ts';
import { expectRefused, expectRefusedInQuery } from '../support/world/refusals.ts';

const SCRAPE = '/api/v1/scraper';
const JOBS = '/api/v1/scraper/jobs';
const url = 'https://example.com/';
const login = {
  instructions: [
    { fill: ['#user', 'ada'] },
    { fill: { selector: '#password', value: 'typed-secret' } },
    { click: 'text=Log in' },
    { if: { selector: '#code', then: [{ type: ['#code', 'code-secret'] }, { press: 'Enter' }] } },
    { repeat: { times: 3, until: { selector: '#more', gone: true }, do: [{ click: '#more' }] } },
    { evaluate: 'document.title' },
  ],
};
const step = { index: 0, path: 'instructions[0]', step: 'fill', ms: 3, url } as const;
const steps = [
  {
    ...step,
    status: 'ok',
    result: 'result-secret',
    screenshot: { name: 'in', type: 'png', width: 1, height: 1, base64: 'picture-secret' },
  },
  { ...step, status: 'failed', error: 'nothing there' },
] as const;
const report = { ok: false, steps } as const;

/** A service whose renderer returns a page, or the error, and all requests that it made. */
async function serviceAsked(fault?: AppError) {
  const asked: ScrapeRequest[] = [];
  const getPage: GetPage = (request) => {
    asked.push(request);
    const done = page('<p>x</p>', {
      scenario: { steps: 2, ok: 1, skipped: 1, failed: 0 },
      report: { ok: true, steps: [steps[0]] },
    });
    return fault ? Promise.reject(fault) : Promise.resolve(done);
  };
  const world = { ...inMemoryWorld(), fetchPage: getPage, renderPage: getPage };
  const service = serviceOver(world);
  return { asked, world, ...service, key: (await service.organization()).key };
}

const nested = (depth: number): object =>
  depth === 0 ? { wait: 1 } : { if: { selector: 'a', then: [nested(depth - 1)] } };

/** For each instruction a value that it does not take, what is named, and why. */
const REFUSED: Readonly<Record<Action, [value: unknown, path: string, problem: string]>> = {
  click: [{ selector: '#a', x: -1 }, '.x', 'from 0 to 100000'],
  wait_for_and_click: [7, '', 'expected a string or an object'],
  hover: ['', '', 'must not be empty'],
  drag: [{ selector: '#a', by_x: 0.5 }, '.by_x', 'expected a whole number'],
  fill: [['#a', 7], '[1]', 'expected a string'],
  type: [{ selector: '#a' }, '.value', 'is required'],
  press: [{ key: 'Enter', selector: 'a[' }, '.selector', 'expected a CSS selector'],
  select: ['#a', '', 'expected a list or an object'],
  check: [{ selector: '#a', timeout: 120_001 }, '.timeout', 'from 0 to 120000'],
  uncheck: [{ selecter: '#a' }, '.selecter', "Did you mean 'selector'?"],
  scroll_x: ['10', '', 'expected a whole number from -1000000 to 1000000 or an object'],
  scroll_y: [1_000_001, '', 'expected a whole number from -1000000 to 1000000 or an object'],
  scroll_to: [{ selector: '#a', optional: 'yes' }, '.optional', 'expected true or false'],
  infinite_scroll: [{ max_count: 1_001 }, '.max_count', 'from 0 to 1000'],
  wait: [-1, '', 'from 0 to 120000'],
  wait_for: ['a >> b[', '', 'expected a CSS selector'],
  wait_for_text: ['', '', 'must not be empty'],
  wait_for_url: [{ url: '' }, '.url', 'must not be empty'],
  wait_for_response: [{ url: '*', method: 'GET' }, '.method', 'Unknown field'],
  wait_for_navigation: [false, '', 'expected'],
  remove: [[], '', 'expected a string or an object'],
  evaluate: [{ script: 1 }, '.script', 'expected a string'],
  screenshot: [{ name: 'a', type: 'gif' }, '.type', 'png'],
  if: [{ selector: '#a' }, '.then', 'is required'],
  repeat: [{ do: [] }, '.do', 'must not be empty'],
  exit: [false, '', 'expected'],
};

test('a scenario reaches the renderer unchanged, by a sync call and as a job, and implies render_js', async () => {
  const { asked, post, work, key } = await serviceAsked();
  const answer = await post(SCRAPE, key, { url, js_scenario: login });
  expect([answer.status, answer.headers['X-Credits-Used'], answer.headers['X-Scenario']]).toEqual([
    200,
    '5',
    'steps=2; ok=1; skipped=1; failed=0',
  ]);
  const { json } = await post(JOBS, key, { url, js_scenario: login });
  await work();
  expect(asked).toMatchObject([
    { renderJs: true, jsScenario: login },
    { renderJs: true, jsScenario: login },
  ]);
  expect(String(json['job_id'])).not.toBe('');
});

test('a scenario is reported although its page has no such format, by a sync call and as a job', async () => {
  const pdf = page('%PDF-', { contentType: 'application/pdf', report: { ok: true, steps: [steps[0]] } });
  const { world, post, ask, work, key } = await serviceAsked();
  world.renderPage = () => Promise.resolve(pdf);
  const request = { url, js_scenario: login, format: 'text' };
  const expected = { code: 'not_convertible', scenario: { ok: true, steps: [{ step: 'fill' }] } };
  const answer = await post(SCRAPE, key, request);
  expect([answer.status, answer.headers['X-Credits-Used']]).toEqual([422, '0']);
  expect(answer.json).toMatchObject(expected);
  const { json } = await post(JOBS, key, request);
  await work();
  const result = await ask(`${JOBS}/${String(json['job_id'])}/result`, { key });
  expect(result.json).toMatchObject(expected);
});

test.each([
  ['js_scenario', { render_js: false, js_scenario: login }, 'only allowed with render_js'],
  [
    'js_scenario',
    { js_scenario: [{ click: '#a' }] },
    'expected an object such as {"instructions":[{"click":"text=Accept"},{"wait_for":"#prices"}]}',
  ],
  [
    'js_scenario.instructions[0]',
    { js_scenario: { instructions: ['click #a'] } },
    'expected an object such as {"click":"#more"}',
  ],
  [
    'js_scenario.instructions[0].action',
    { js_scenario: { instructions: [{ action: 'click' }] } },
    'Expected an object such as {"click":"#more"}.',
  ],
  ['js_scenario.instructions', { js_scenario: {} }, "Field 'js_scenario.instructions' is required"],
  ['js_scenario.instructions', { js_scenario: { instructions: [] } }, 'must not be empty'],
  [
    'js_scenario.instructions[1].click.selecter',
    { js_scenario: { instructions: [{ wait: 1 }, { click: { selecter: '#x' } }] } },
    "Unknown field 'js_scenario.instructions[1].click.selecter'. Did you mean 'selector'?",
  ],
  [
    'js_scenario.instructions[0].clik',
    { js_scenario: { instructions: [{ clik: '#x' }] } },
    "Unknown field 'js_scenario.instructions[0].clik'. Did you mean 'click'?",
  ],
  [
    'js_scenario.instructions[0].if.then[0].fil',
    { js_scenario: { instructions: [{ if: { selector: 'a', then: [{ fil: ['#x', 'y'] }] } }] } },
    "Did you mean 'fill'?",
  ],
  [
    'js_scenario.instructions[0]',
    { js_scenario: { instructions: [{}] } },
    'expected an action, such as click',
  ],
  [
    'js_scenario.instructions[0]',
    { js_scenario: { instructions: [{ click: '#a', wait: 5 }] } },
    'expected exactly one action',
  ],
  [
    'js_scenario.instructions[0].click',
    { js_scenario: { instructions: [{ click: 'a[' }] } },
    'expected a CSS selector, an XPath or text=…',
  ],
  [
    'js_scenario.instructions[0].fill',
    { js_scenario: { instructions: [{ fill: ['#a'] }] } },
    'must have at least 2 entries',
  ],
  [
    'js_scenario.instructions[0].wait',
    { js_scenario: { instructions: [{ wait: '1s' }] } },
    'expected a whole number from 0 to 120000',
  ],
  [
    'js_scenario.instructions[0].screenshot.quality',
    { format: 'json', js_scenario: { instructions: [{ screenshot: { name: 'a', quality: 5 } }] } },
    'only allowed with jpeg or webp',
  ],
  [
    'js_scenario.instructions[0].screenshot.full_page',
    { format: 'json', js_scenario: { instructions: [{ screenshot: { name: 'a', full_page: true } }] } },
    "Unknown field 'js_scenario.instructions[0].screenshot.full_page'",
  ],
  [
    'js_scenario',
    { js_scenario: { instructions: [{ repeat: { do: [{ screenshot: 'a' }] } }] } },
    'has a screenshot, which is only allowed with format=json',
  ],
  [
    'js_scenario.instructions',
    { js_scenario: { instructions: Array.from({ length: 251 }, () => nested(1)) } },
    'more than 500 instructions in all',
  ],
  [
    'js_scenario.instructions[0].if.then[0].if.then[0].if.then[0].if.then[0]',
    { js_scenario: { instructions: [nested(5)] } },
    'nested more than 5 deep',
  ],
])('a scenario is refused at %s', async (param, fields, problem) => {
  const service = await serviceAsked();
  await expectRefused(service, service.key, fields, { path: param, problem });
  expect(service.asked).toEqual([]);
});

test.each(Object.entries(REFUSED))('a scenario refuses a bad %s', async (action, [value, path, problem]) => {
  const service = await serviceAsked();
  const fields = { format: 'json', js_scenario: { instructions: [{ wait: 1 }, { [action]: value }] } };
  const param = `js_scenario.instructions[1].${action}${path}`;
  await expectRefused(service, service.key, fields, { path: param, problem });
});

test('a scenario may be nested five deep, with 500 instructions', async () => {
  const { post, key } = await serviceAsked();
  const instructions = [nested(4), ...Array.from({ length: 495 }, () => ({ wait: 1 }))];
  expect((await post(SCRAPE, key, { url, js_scenario: { instructions } })).status).toBe(200);
});

test('a scenario is not taken in a query string, which logs keep', async () => {
  const service = await serviceAsked();
  await expectRefusedInQuery(service, service.key, 'js_scenario=%7B%7D', 'js_scenario');
});

test('a scenario that fails is 422 with its report, and free', async () => {
  const { post, key } = await serviceAsked(new AppError('scenario_failed', { report }));
  const { status, json, headers } = await post(SCRAPE, key, { url, js_scenario: login });
  expect([status, headers['X-Credits-Used'], headers['X-Credits-Reason']]).toEqual([422, '0', 'no_page']);
  const { result: _result, screenshot: _screenshot, ...first } = report.steps[0];
  const scenario = { ok: false, steps: [first, report.steps[1]] };
  expect(json).toMatchObject({ code: 'scenario_failed', retryable: false });
  expect(json['scenario']).toEqual(scenario);
  expect(json['message']).toBe('The scenario failed at instructions[0] (fill): nothing there.');
});

test.each([
  [{ target_status: 200, verdict: 'page' }, ''],
  [
    { target_status: 403, verdict: 'bot_wall', verdict_by: 'cloudflare' },
    'The target answered with status 403, and the page is a bot wall (cloudflare). ',
  ],
  [
    { target_status: 200, verdict: 'login_wall' },
    'The target answered with status 200, and the page is a login wall. ',
  ],
  [{ target_status: 404, verdict: 'page' }, 'The target answered with status 404. '],
])(
  'a scenario that fails says what the target said, at once, as a job, and in a batch: %o',
  async (where, first) => {
    const fields = { ...where, target_url: `${url}?q=1` };
    const fault = new AppError('scenario_failed', { report, fields });
    const { post, ask, work, key } = await serviceAsked(fault);
    const answer = await post(SCRAPE, key, { url: `${url}?q=1`, js_scenario: login });
    const { json } = await post(JOBS, key, { url, js_scenario: login });
    const batch = await post('/api/v1/scraper/batches', key, { requests: [{ url, js_scenario: login }] });
    await work();
    await work();
    const job = `${JOBS}/${String(json['job_id'])}`;
    const result = await ask(`${job}/result`, { key });
    expect(answer.json).toMatchObject({
      ...fields,
      message: `${first}The scenario failed at instructions[0] (fill): nothing there.`,
    });
    for (const { headers } of [answer, result])
      expect(headers).toMatchObject({
        'X-Target-Status': String(where.target_status),
        'X-Target-Url': expect.stringContaining(url) as string,
        'X-Page-Verdict': 'verdict_by' in where ? 'bot_wall; by=cloudflare' : where.verdict,
      });
    const line = await ask(String(batch.json['results_url']), { key });
    const kept = [result.json, (await ask(job, { key })).json, JSON.parse(line.text) as object];
    for (const each of kept) expect(each).toMatchObject(fields);
  },
);

test.each([
  ['by its status', { status: 500 }, 'target_status'],
  ['as a wall', { headers: { 'cf-mitigated': 'challenge' } }, 'wall'],
])('a scenario on a page that is not charged %s brings nothing else along', async (_, about, reason) => {
  const { world, post, ask, work, key } = await serviceAsked();
  const evaluated = { ...step, step: 'evaluate', status: 'skipped', url: `${url}page-secret` } as const;
  const captured = { url, method: 'GET', type: 'fetch', status: 200, headers: {}, body: 'page-secret' };
  const pictures = { screenshot: { type: 'png', width: 1, height: 1, body: Buffer.from('page-secret') } };
  world.renderPage = () =>
    Promise.resolve(
      page('<p>the error itself</p>', {
        ...({ ...about, pictures, captured: [captured] } as Partial<Page>),
        renderState: 'complete',
        url: `${url}down?page-secret`,
        report: {
          ok: true,
          steps: [
            ...steps,
            {
              ...evaluated,
              error: 'the script threw TypeError: page-secret',
              opened: ['https://page-secret/'],
            },
            { ...evaluated, error: 'the script threw page-secret' },
          ],
        },
      }),
    );
  const request = { url, js_scenario: login, format: 'json', formats: ['html', 'screenshot'] };
  const answer = await post(SCRAPE, key, { ...request, capture: [{ url: '*' }] });
  const { json } = await post(JOBS, key, request);
  const batch = await post('/api/v1/scraper/batches', key, { requests: [request] });
  await work();
  const result = await ask(`${JOBS}/${String(json['job_id'])}/result`, { key });
  const lines = await ask(`${String(batch.json['results_url'])}?include=body`, { key });
  expect([answer.status, answer.headers['X-Credits-Used'], answer.headers['X-Credits-Reason']]).toEqual([
    200,
    '0',
    reason,
  ]);
  for (const { text, headers } of [answer, result, lines]) {
    expect(text).toContain('the error itself');
    expect(text).toContain('the script threw TypeError, whose message is only in');
    expect(text + JSON.stringify(headers)).not.toContain('-secret');
    expect(text).not.toContain(Buffer.from('page-secret').toString('base64'));
  }
  expect(answer.json).toMatchObject({ url: `${url}down`, scenario: { steps: [{ url }, { url }, {}, {}] } });
});

test('a scenario that fails as a job is not tried again, and its result has the report without results and pictures', async () => {
  const { post, ask, work, key, asked } = await serviceAsked(new AppError('scenario_failed', { report }));
  const { json } = await post(JOBS, key, { url, js_scenario: login });
  await work();
  const { status, json: result } = await ask(`${JOBS}/${String(json['job_id'])}/result`, { key });
  const { result: _result, screenshot: _screenshot, ...first } = report.steps[0];
  expect([status, asked.length]).toEqual([422, 1]);
  expect(result).toMatchObject({ code: 'scenario_failed', status: 'failed', scenario: { ok: false } });
  expect((result['scenario'] as typeof report).steps).toEqual([first, report.steps[1]]);
});

test('a scenario that fails as a job after many steps keeps the last hundred, and says how many came before', async () => {
  const many = Array.from({ length: 150 }, (_, index) => ({ ...steps[1], index }));
  const fault = new AppError('scenario_failed', { report: { ok: false, steps: many } });
  const { post, ask, work, key } = await serviceAsked(fault);
  const { json } = await post(JOBS, key, { url, js_scenario: login });
  await work();
  const { json: result } = await ask(`${JOBS}/${String(json['job_id'])}/result`, { key });
  const { scenario } = result as { scenario: { omitted: number; steps: { index: number }[] } };
  expect([scenario.omitted, scenario.steps.length, scenario.steps[0]?.index]).toEqual([50, 100, 50]);
});

test.each([undefined, new AppError('scenario_failed', { report })])(
  'a scenario is forgotten when its job ends, and what it types is in no log and no activity (%s)',
  async (fault) => {
    const { post, ask, work, key, world, lines } = await serviceAsked(fault);
    const { json } = await post(JOBS, key, { url, js_scenario: login });
    expect(JSON.stringify(world.jobs.all())).toContain('typed-secret');
    await work();
    await post(SCRAPE, key, { url, js_scenario: login });
    const { text } = await ask('/api/v1/account/activity', { key });
    const status = await ask(`${JOBS}/${String(json['job_id'])}`, { key });
    for (const kept of [JSON.stringify(world.jobs.all()), JSON.stringify(lines), text, status.text])
      expect(kept).not.toContain('-secret');
    expect(world.jobs.all()).toHaveLength(1);
  },
);

test('a scenario of a job is counted in a header of its result', async () => {
  const { post, ask, work, key } = await serviceAsked();
  const { json } = await post(JOBS, key, { url, js_scenario: login });
  await work();
  const { headers } = await ask(`${JOBS}/${String(json['job_id'])}/result`, { key });
  expect(headers['X-Scenario']).toBe('steps=2; ok=1; skipped=1; failed=0');
});

test('a scenario has its report and the results of its scripts in the envelope of format=json', async () => {
  const { post, ask, work, key } = await serviceAsked();
  const request = { url, js_scenario: login, format: 'json', formats: ['text'] };
  const { json } = await post(SCRAPE, key, request);
  expect(json).toMatchObject({ text: 'x\n', scenario: { ok: true, steps: [steps[0]] } });
  const job = await post(JOBS, key, request);
  await work();
  const result = await ask(`${JOBS}/${String(job.json['job_id'])}/result`, { key });
  expect(result.json).toEqual(json);
});

test('a scenario of a batch belongs to each request, or to all', async () => {
  const { post, work, key, asked } = await serviceAsked();
  const requests = [{ url }, { url, js_scenario: { instructions: [{ wait: 1 }] } }];
  const { status } = await post('/api/v1/scraper/batches', key, {
    defaults: { js_scenario: login },
    requests,
  });
  await work();
  await work();
  expect([status, asked.length]).toEqual([202, 2]);
  expect(asked.map(({ renderJs, jsScenario }) => [renderJs, jsScenario?.instructions.length])).toEqual(
    expect.arrayContaining([
      [true, 6],
      [true, 1],
    ]),
  );
});
