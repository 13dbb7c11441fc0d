import { afterAll, expect, test } from 'vitest';
import type { CaptureRule } from '../../shared/contract/scrape/capture.ts';
import { openBrowsers } from '../support/browser/chromium.ts';
import { renderSite } from '../support/servers/render-site.ts';

const PICTURE = Buffer.from([0, 255, 1, 254, 128]);
const site = await renderSite({
  '/': `<p id="out"></p><script>
    const get = (url, options) => fetch(url, options).then((r) => r.arrayBuffer()).catch(() => {});
    onload = async () => {
      await get('/api/products?page=1');
      await get('/api/products?page=2', { method: 'POST', body: 'x' });
      const xhr = new XMLHttpRequest(); xhr.open('GET', '/api/old'); xhr.send();
      await get('/picture'); await get('/large'); await get('/cut'); await get('/moved'); out.id = 'done';
    };
  </script>`,
  '/api/products': (request, response) =>
    response
      .writeHead(request.method === 'POST' ? 201 : 200, { 'Content-Type': 'application/json', 'X-Page': '1' })
      .end('{"name": "Zoë"}'),
  '/api/old': (_, response) => response.end('old'),
  '/picture': (_, response) => response.writeHead(200, { 'Content-Type': 'image/x-own' }).end(PICTURE),
  '/large': (_, response) => response.end('x'.repeat(1_000_001)),
  '/cut': (_, response) => {
    response.writeHead(200, { 'Content-Length': '10' }).write('half', () => response.destroy());
  },
  '/moved': (_, response) => response.writeHead(302, { location: '/api/old' }).end(),
});
const browser = await openBrowsers(site.host);
afterAll(() => Promise.all([browser, site].map((open) => open[Symbol.asyncDispose]())));

/** A page that is busy for longer than the time to settle is returned unsettled. */
const DONE = { waitUntil: 'load' as const, waitFor: '#done' };

async function captured(...capture: CaptureRule[]) {
  const { answer, fault } = await browser.render(`${site.origin}/`, 20_000, { capture, ...DONE });
  expect({ ...answer, fault }).toMatchObject({ outcome: 'page', renderState: 'complete', fault: undefined });
  return answer.outcome === 'page' ? (answer.captured ?? []) : [];
}

test('responses are kept by URL, method and type, with their bodies as the page got them', async () => {
  const url = `${site.origin}/api/products`;
  const head = { type: 'fetch', headers: { 'content-type': 'application/json', 'x-page': '1' } };
  const body = '{"name": "Zoë"}';
  const all = [
    { ...head, url: `${url}?page=1`, method: 'GET', status: 200, body },
    { ...head, url: `${url}?page=2`, method: 'POST', status: 201, body },
  ];
  expect(await captured({ url: '*/api/products?*' })).toMatchObject(all);
  expect(await captured({ url: '/api/', method: 'POST' })).toMatchObject(all.slice(1));
  expect(await captured({ url: '/api/', type: 'xhr' })).toMatchObject([{ type: 'xhr', body: 'old' }]);
  expect(await captured({ url: '*/nothing' })).toEqual([]);
});

test('a body that is no text is base64, and an unwanted body is left out', async () => {
  const [picture, ...heads] = await captured({ url: '*/picture' }, { url: '/products', body: false });
  expect(heads).toHaveLength(2);
  const [first, second] = [picture, ...heads].filter((each) => each && 'body' in each);
  expect([first?.body, first?.body_encoding, second]).toEqual([
    PICTURE.toString('base64'),
    'base64',
    undefined,
  ]);
});

test('a body that is too large or was cut off is named, and a redirect is kept where it ends', async () => {
  const kept = await captured(
    { url: '*/large' },
    { url: '*/cut' },
    { url: '*/moved' },
    { url: '*/api/old', type: 'fetch' },
  );
  expect(kept.map(({ url, body, omitted }) => [url.replace(site.origin, ''), body, omitted])).toEqual([
    ['/large', undefined, 'too_large'],
    ['/cut', undefined, 'unavailable'],
    ['/api/old', 'old', undefined],
  ]);
});

test('a body that is too large takes nothing from the others', async () => {
  const large = 'x'.repeat(2_000_000);
  await using many = await renderSite({
    '/': `<script type=module>for (const n of [1, 2, 3]) await fetch('/large?' + n).then((r) => r.text()); await fetch('/small').then((r) => r.text()); document.body.append(document.createElement('hr'))</script>`,
    '/large': (_, response) => response.end(large),
    '/small': (_, response) => response.end('small'),
  });
  await using own = await openBrowsers(many.host);
  const { answer } = await own.render(`${many.origin}/`, 40_000, { capture: [{ url: '*' }], waitFor: 'hr' });
  const kept = answer.outcome === 'page' ? (answer.captured ?? []) : [];
  expect(kept.map(({ body, omitted }) => body ?? omitted)).toEqual([
    'too_large',
    'too_large',
    'too_large',
    'small',
  ]);
});

test('five hundred responses are kept, however many were requested before the first', async () => {
  await using busy = await renderSite({
    '/': `<p id="out"></p><script>
      onload = async () => {
        await Promise.all(Array.from({ length: 520 }, (_, n) => fetch('/n?' + n).then((r) => r.text())));
        out.id = 'done';
      };
    </script>`,
    '/n': (_, response) => response.end('n'),
  });
  await using other = await openBrowsers(busy.host);
  const capture = [{ url: '/n', body: false }];
  const { answer } = await other.render(`${busy.origin}/`, 30_000, { capture, ...DONE });
  expect(answer).toMatchObject({ renderState: 'complete' });
  expect(answer.outcome === 'page' && answer.captured?.length).toBe(500);
});

test('heads that are 5 MB together are kept, and those after them are not', async () => {
  await using wordy = await renderSite({
    '/': `<p id="out"></p><script>
      onload = async () => {
        for (let n = 0; n < 27; n += 1) await fetch('/wordy?' + n).then((r) => r.text());
        out.id = 'done';
      };
    </script>`,
    '/wordy': (_, response) => response.writeHead(200, { 'X-Words': 'x'.repeat(200_000) }).end('body'),
  });
  await using other = await openBrowsers(wordy.host);
  const { answer } = await other.render(`${wordy.origin}/`, 30_000, {
    capture: [{ url: '/wordy' }],
    ...DONE,
  });
  expect(answer).toMatchObject({ renderState: 'complete' });
  const kept = answer.outcome === 'page' ? (answer.captured ?? []) : [];
  expect(kept.map(({ body }) => body)).toEqual(Array.from({ length: 24 }, () => 'body'));
});

test('nothing is kept that was not wanted', async () => {
  const { answer } = await browser.render(`${site.origin}/`, 20_000);
  expect(answer).not.toHaveProperty('captured');
});
