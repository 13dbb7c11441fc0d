import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { networkInterfaces } from 'node:os';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { frontPage } from '../../local/front-page.ts';
import { listen } from '../../local/listen.ts';

const KEY = 'sf_test_key';
const DASHBOARD = 'http://127.0.0.1:3001';
const DEMO = 'http://127.0.0.1:4000';

const serve = (host?: string) =>
  listen(createServer(frontPage({ apiKey: KEY, demoSite: DEMO, dashboardUrl: DASHBOARD })), 0, host);

async function get(url: string, headers: OutgoingHttpHeaders = {}, method = 'GET') {
  const [response] = (await once(request(url, { headers, method }).end(), 'response')) as [IncomingMessage];
  return { headers: response.headers, body: await text(response) };
}

test('the front page leads to the reference and to a first page, with the demo key', async () => {
  await using server = await serve();
  const { headers, body } = await get(server.url);
  expect(headers['content-type']).toBe('text/html; charset=utf-8');
  expect(body).toContain('href="/docs"');
  expect(body).toContain(`<a class="button" href="${DASHBOARD}">`);
  expect(body).toContain(`href="${DEMO}"`);
  expect(body).toContain(
    `curl -H "Authorization: Bearer ${KEY}" "${server.url}/api/v1/scraper?url=${encodeURIComponent(`${DEMO}/js`)}&amp;render_js=true"`,
  );
  expect((await get(server.url, {}, 'HEAD')).body).toBe('');
});

test.each([
  ['a website that points its name at this machine', { Host: 'attacker.example:3000' }],
  ['a caller of a proxy', { 'X-Forwarded-For': '203.0.113.7' }],
])('%s does not get the key', async (_, headers) => {
  await using server = await serve();
  const { body } = await get(server.url, headers);
  expect(body).not.toContain(KEY);
  expect(body).toContain('Bearer $API_KEY');
});

const outside = Object.values(networkInterfaces())
  .flatMap((addresses = []) => addresses)
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address;

test.skipIf(outside === undefined)('another machine does not get the key', async () => {
  await using server = await serve('0.0.0.0');
  const { port } = new URL(server.url);
  const { body } = await get(`http://${outside}:${port}/`, { Host: `localhost:${port}` });
  expect(body).not.toContain(KEY);
});

test('a Host header cannot write into the page', async () => {
  await using server = await serve();
  const { body, headers } = await get(server.url, { Host: '"><script>alert(1)</script>' });
  expect(body).not.toContain('<script');
  expect(headers['content-security-policy']).toContain("default-src 'none'");
});
