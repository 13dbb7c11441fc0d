import { beforeEach, describe, expect, test } from 'vitest';
import type { JsScenario } from '../../shared/contract/scrape/js-scenario.ts';
import { renderedWith } from '../../shared/contract/scrape/rendered-with.ts';
import type { ScrapeRequest } from '../../shared/contract/scrape/scrape-request.ts';
import { serviceOver } from '../support/world/api.ts';
import { key, newServiceEachTest, service, world } from '../support/world/each-test.ts';
import { inMemoryWorld } from '../support/world/in-memory-world.ts';
import { page } from '../support/world/pages.ts';
import { expectRefused, expectRefusedInQuery } from '../support/world/refusals.ts';

const SCRAPE = '/api/v1/scraper';
const JOBS = '/api/v1/scraper/jobs';
const URL = 'https://example.com/';
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff]);
const pictures = {
  screenshot: { type: 'png', width: 8, height: 6, body: PNG },
  pdf: { body: Buffer.from('%PDF-1.4') },
} as const;

newServiceEachTest();
beforeEach(() => {
  world.web[URL] = page('<h1>Hello</h1>', { pictures });
});

const scrape = (fields: object) => service.post(SCRAPE, key, { url: URL, ...fields });

describe('a picture', () => {
  test.each([
    ['screenshot', 'image/png', PNG],
    ['pdf', 'application/pdf', pictures.pdf.body],
  ])(
    'of format=%s is the body, under its own type, at the price of render_js',
    async (format, type, body) => {
      const answer = await scrape({ format });
      expect([answer.status, answer.headers['Content-Type'], answer.bytes]).toEqual([200, type, body]);
      expect(answer.headers).toMatchObject({ 'X-Target-Status': '200', 'X-Credits-Used': '5' });
    },
  );

  test('of a phone is limited by the pixels of a phone', async () => {
    const screenshot = { scale: 3, height: 2_000 };
    expect((await scrape({ format: 'screenshot', device: 'mobile', screenshot })).status).toBe(200);
  });

  test('is taken by a query string', async () => {
    const { bytes } = await service.ask(`${SCRAPE}?url=${URL}&format=screenshot`, { key });
    expect(bytes).toEqual(PNG);
  });

  test('stands in json beside other formats', async () => {
    const { json } = await scrape({ format: 'json', formats: ['screenshot', 'markdown', 'pdf'] });
    expect(json).toMatchObject({
      content_type: 'text/html',
      markdown: '# Hello\n',
      screenshot: { type: 'png', width: 8, height: 6, base64: PNG.toString('base64') },
      pdf: { base64: pictures.pdf.body.toString('base64') },
    });
    expect(json).not.toHaveProperty('html');
    expect(Object.keys(json['screenshot'] as object)).not.toContain('body');
  });

  test('alone in json needs no page that can be converted', async () => {
    world.web[URL] = page('', { pictures });
    const { status, json } = await scrape({ format: 'json', formats: ['pdf'] });
    expect([status, Object.keys(json)]).toEqual([200, expect.not.arrayContaining(['html', 'markdown'])]);
  });

  test('is stored by a job under its own type', async () => {
    const { json } = await service.post(JOBS, key, { url: URL, format: 'screenshot' });
    await service.work();
    const result = await service.ask(`${JOBS}/${String(json.job_id)}/result`, { key });
    expect([result.headers['Content-Type'], result.bytes]).toEqual(['image/png', PNG]);
  });

  test('of a file does not exist, and costs nothing', async () => {
    world.web[URL] = page('%PDF', { contentType: 'application/pdf' });
    for (const fields of [{ format: 'pdf' }, { format: 'json', formats: ['html', 'screenshot'] }]) {
      const { status, json, headers } = await scrape(fields);
      expect([status, json.code, json['reason']]).toEqual([422, 'not_convertible', 'type']);
      expect(headers['X-Credits-Used']).toBe('0');
    }
  });

  test('is not part of a page that wants none', async () => {
    expect((await scrape({ render_js: true })).text).toBe('<h1>Hello</h1>');
  });
});

describe('fields of pictures', () => {
  test.each([
    [{ format: 'screenshot', render_js: false }, 'render_js', 'must not be false with screenshot or pdf'],
    [{ format: 'json', formats: ['pdf'], render_js: false }, 'render_js', 'must not be false'],
    [{ screenshot: {} }, 'screenshot', 'only allowed with the format screenshot'],
    [{ format: 'screenshot', pdf: {} }, 'pdf', 'only allowed with the format pdf'],
    [{ format: 'screenshot', screenshot: { type: 'gif' } }, 'screenshot.type', 'expected one of png, jpeg'],
    [
      { format: 'screenshot', screenshot: { quality: 50 } },
      'screenshot.quality',
      'only allowed with jpeg or webp',
    ],
    [
      { format: 'screenshot', screenshot: { type: 'jpeg', quality: 0 } },
      'screenshot.quality',
      'from 1 to 100',
    ],
    [
      { format: 'screenshot', screenshot: { selector: 'a[' } },
      'screenshot.selector',
      'expected a CSS selector',
    ],
    [
      { format: 'screenshot', screenshot: { selector: 'a', full_page: true } },
      'screenshot.selector',
      'not taken with full_page',
    ],
    [
      { format: 'screenshot', screenshot: { width: 3_840, height: 4_320, scale: 3 } },
      'screenshot',
      'more than 33 million pixels',
    ],
    [
      {
        format: 'screenshot',
        device: 'mobile',
        screenshot: { type: 'jpeg', width: 3_840, height: 4_320 },
      },
      'screenshot',
      'more than 33 million pixels',
    ],
    [{ format: 'screenshot', screenshot: { fullpage: true } }, 'screenshot.fullpage', 'full_page'],
    [{ format: 'pdf', pdf: { paper: 'A7' } }, 'pdf.paper', 'expected one of a0'],
    [{ format: 'pdf', pdf: { page_ranges: 'all' } }, 'pdf.page_ranges', 'expected pages such as 1-3, 5'],
    [{ format: 'pdf', pdf: { page_ranges: '5-2' } }, 'pdf.page_ranges', 'expected pages such as 1-3, 5'],
    [{ format: 'pdf', pdf: { margin: -1 } }, 'pdf.margin', 'from 0 to 100'],
  ])('%j', (fields, path, problem) => expectRefused(service, key, fields, { path, problem }));

  test.each(['screenshot', 'pdf'])('%s in a query string', (name) =>
    expectRefusedInQuery(service, key, `format=${name}&${name}=%7B%7D`, name),
  );

  test('make a request of a batch one for the browser', async () => {
    const asked: ScrapeRequest[] = [];
    const renderPage = (request: ScrapeRequest) => {
      asked.push(request);
      return Promise.resolve(page('', { pictures }));
    };
    const busy = serviceOver({ ...inMemoryWorld(), renderPage });
    const { key: own } = await busy.organization();
    const requests = [{ url: URL }, { url: URL, format: 'pdf' }];
    await busy.post('/api/v1/scraper/batches', own, { defaults: { format: 'screenshot' }, requests });
    await busy.work();
    expect(asked.map(({ format, renderJs }) => [format, renderJs])).toEqual(
      expect.arrayContaining([
        ['screenshot', true],
        ['pdf', true],
      ]),
    );
  });

  test('reach the browser only with their format, and with images and fonts', () => {
    expect(renderedWith({ format: 'json', formats: ['screenshot', 'html'] })).toEqual({
      screenshot: {},
      pdf: undefined,
      blockResources: false,
    });
    expect(renderedWith({ format: 'markdown' })).toEqual({ screenshot: undefined, pdf: undefined });
    const scenario = (instructions: JsScenario['instructions']) =>
      renderedWith({ format: 'json', jsScenario: { instructions } }).blockResources;
    const screenshot = [{ screenshot: 'a' }];
    expect([
      scenario(screenshot),
      scenario([{ if: { selector: 'p', then: [], else: screenshot } }]),
      scenario([{ wait: 1 }]),
    ]).toEqual([false, false, undefined]);
  });
});
