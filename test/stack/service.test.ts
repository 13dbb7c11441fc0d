import { createHash } from 'node:crypto';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { sharedStack } from '../support/stack/shared-stack.ts';

const stack = await sharedStack();
const { client } = stack;

const sha256 = (bytes: ArrayBuffer) => createHash('sha256').update(new Uint8Array(bytes)).digest('hex');
const codeOf = async (answer: Response) => ((await answer.json()) as { code: string }).code;

test('a sync scrape returns the bytes of a page and their cost', async () => {
  const [answer, target] = await Promise.all([client.scrape({ url: stack.demoSite }), fetch(stack.demoSite)]);
  expect(answer.status).toBe(200);
  expect(sha256(await answer.arrayBuffer())).toBe(sha256(await target.arrayBuffer()));
  expect(answer.headers.get('content-type')).toBe(target.headers.get('content-type'));
  expect(answer.headers.get('x-target-status')).toBe('200');
  expect(answer.headers.get('x-credits-used')).toBe('1');
  expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.headers.get('ratelimit-policy')).toMatch(/^"scrape";q=\d+;w=60$/);
});

test('a sync scrape with premium_proxy uses the demo proxy', async () => {
  const answer = await client.scrape({ url: stack.demoSite, premium_proxy: true });
  expect([answer.status, answer.headers.get('x-credits-used')]).toEqual([200, '10']);
  expect(await answer.text()).toContain('Demo site');
});

test('a sync scrape with render_js contains the content added by JavaScript', async () => {
  const url = `${stack.demoSite}/js`;
  const [plain, rendered] = await Promise.all([
    client.scrape({ url }),
    client.scrape({ url, render_js: true }),
  ]);
  expect(await plain.text()).not.toContain('This text was fetched by JavaScript');
  expect(await rendered.text()).toContain('This text was fetched by JavaScript');
  expect(rendered.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(rendered.headers.get('x-render-state')).toBe('complete');
  expect(rendered.headers.get('x-credits-used')).toBe('5');
});

test.each([false, true])('a sync scrape returns the text of a page (render_js: %s)', async (render_js) => {
  const answer = await client.scrape({ url: stack.demoSite, render_js, format: 'markdown' });
  expect(await answer.text()).toContain(`# Demo site`);
  expect(answer.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
  expect(answer.headers.get('x-content-scope')).toBe('main');
});

test.each([false, true])('a sync scrape returns the text of a PDF (render_js: %s)', async (render_js) => {
  const answer = await client.scrape({ url: `${stack.demoSite}/file.pdf`, render_js, format: 'text' });
  expect([answer.status, await answer.text()]).toEqual([200, 'A small PDF.\n']);
  expect(answer.headers.get('x-document-pages')).toBe('1');
});

test('a sync scrape by GET returns the same page', async () => {
  const query = new URLSearchParams({ url: `${stack.demoSite}/js`, render_js: '1' });
  const answer = await client.get(`/api/v1/scraper?${query.toString()}`);
  expect(await answer.text()).toContain('This text was fetched by JavaScript');
});

test('a sync scrape works from a base URL that ends with a slash', async () => {
  const answer = await fetch(`${stack.baseUrl}//api/v1/scraper`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${stack.apiKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ url: stack.demoSite }),
  });
  expect([answer.status, answer.headers.get('x-credits-reason')]).toEqual([200, 'page']);
});

test.each([
  [404, false, '1'],
  [500, true, '0'],
])(
  'a sync scrape of a page with status %i is 200 (render_js: %s, %s credits)',
  async (status, render_js, used) => {
    const answer = await client.scrape({ url: `${stack.demoSite}/status/${status}`, render_js });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-target-status')).toBe(String(status));
    expect(answer.headers.get('x-credits-used')).toBe(used);
    expect(await answer.text()).toContain(String(status));
  },
);

test.each([false, true])(
  'a sync scrape of a slow page fails at its timeout (render_js: %s)',
  async (render_js) => {
    const startedAt = performance.now();
    const answer = await client.scrape({ url: `${stack.demoSite}/slow?ms=30000`, timeout: 3_000, render_js });
    const ms = performance.now() - startedAt;
    expect(answer.status).toBe(504);
    expect(await answer.json()).toMatchObject({ code: 'timeout', phase: 'first_byte', retryable: true });
    expect(answer.headers.get('x-credits-used')).toBe('0');
    expect(ms).toBeGreaterThan(2_500);
    expect(ms).toBeLessThan(25_000);
  },
);

test('a sync scrape returns 20 MB', async () => {
  const url = `${stack.demoSite}/big?mb=20`;
  const [answer, target] = await Promise.all([client.scrape({ url }), fetch(url)]);
  const bytes = await answer.arrayBuffer();
  expect(bytes.byteLength).toBeGreaterThanOrEqual(20_000_000);
  expect(sha256(bytes)).toBe(sha256(await target.arrayBuffer()));
});

test.each([
  ['plain', '/', false],
  ['rendered', '/js', true],
])('a job: %s changes its status in order and ends like the sync call', async (_, path, render_js) => {
  const request = { url: stack.demoSite + path, render_js };
  const id = await client.submit(request);
  const { states, job } = await client.settled(id);
  expect(['pending', 'running', 'completed'].filter((state) => states.includes(state))).toEqual(states);
  expect(job).toMatchObject({ status: 'completed', credits_used: render_js ? 5 : 1 });

  const [result, sync] = await Promise.all([client.result(id), client.scrape(request)]);
  expect(result.status).toBe(200);
  for (const name of [
    'content-type',
    'x-target-status',
    'x-target-url',
    'x-target-redirects',
    'x-render-state',
  ]) {
    expect(result.headers.get(name)).toBe(sync.headers.get(name));
  }
  expect(sha256(await result.arrayBuffer())).toBe(sha256(await sync.arrayBuffer()));
});

test('a job that is slow is reported as running, and its result is not ready', async () => {
  const id = await client.submit({ url: `${stack.demoSite}/slow?ms=1500` });
  const early = await client.result(id);
  expect(early.status).toBe(409);
  expect(early.headers.get('retry-after')).toBe('1');
  const { states } = await client.settled(id);
  expect(states.slice(-2)).toEqual(['running', 'completed']);
});

test.each([
  ['a literal', (port: number) => `http://127.0.0.1:${port}/`],
  ['a name', (port: number) => `http://localhost:${port}/`],
  ['a redirect', (port: number) => `${stack.demoSite}/redirect-to?url=http://127.0.0.1:${port}/`],
])('a private target by %s is refused, and receives no packet', async (by, urlOf) => {
  let connections = 0;
  const canary = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  const port = await new Promise<number>((resolve) => {
    canary.listen(0, '::', () => {
      resolve((canary.address() as { port: number }).port);
    });
  });
  for (const render_js of [false, true]) {
    const answer = await client.scrape({ url: urlOf(port), render_js, timeout: 10_000 });
    expect(answer.status).toBe(400);
    const { code, reason } = (await answer.json()) as { code: string; reason: string };
    expect([code, reason]).toEqual(['url_not_allowed', by === 'a redirect' ? 'redirect' : 'private']);
  }
  canary.close();
  expect(connections).toBe(0);
});

test('a dead host is 502', async () => {
  const answer = await client.scrape({ url: 'http://nobody.example/', render_js: true });
  expect(answer.status).toBe(502);
  expect(await codeOf(answer)).toBe('dns_failed');
});

test('an unknown path is 404 in the shape of every error', async () => {
  const answer = await client.get('/api/v2/scraper');
  expect(answer.status).toBe(404);
  expect(await answer.json()).toMatchObject({ error: 'Not Found', code: 'not_found' });
  expect(answer.headers.get('x-request-id')).not.toBeNull();
});
