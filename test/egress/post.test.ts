import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { guardedPost } from '../../shared/adapters/web/guarded-post.ts';
import type { EgressPolicy } from '../../shared/egress/decide.ts';
import { dnsServer } from '../support/servers/dns-server.ts';
import {
  canary,
  CERTIFICATES,
  rawServer,
  targetServer,
  tlsServer,
  tlsServerWith,
} from '../support/servers/target-server.ts';

const ca = [readFileSync(new URL('../fixtures/tls/ca.pem', import.meta.url), 'utf8')];
const authority = [readFileSync(new URL('../fixtures/tls/variants/authority.pem', import.meta.url), 'utf8')];
const SHORT_MS = 1_000;
const BODY = '{"type":"job.completed"}';
const event = (url: string) => ({
  url,
  headers: { 'Content-Type': 'application/json', 'webhook-id': '1' },
  body: BODY,
});
/** The port, with a time for each request. */
function poster(
  policy: EgressPolicy,
  { timeoutMs = 15_000, ...trust }: { timeoutMs?: number; ca?: string[] } = {},
) {
  const post = guardedPost(policy, trust);
  return (request: ReturnType<typeof event>) => post({ ...request, timeoutMs });
}
const isClosed = (server: { open: () => number }) =>
  vi.waitUntil(() => server.open() === 0, { timeout: 3_000 });

test('a receiver gets the exact body and headers, over http and TLS, on a connection of its own', async () => {
  const seen: unknown[] = [];
  const keep: Parameters<typeof targetServer>[0] = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method, url, headers } = request;
      seen.push([method, url, headers['webhook-id'], headers.cookie, Buffer.concat(chunks).toString()]);
      response.setHeader('Set-Cookie', 'a=1').writeHead(204).end();
    });
  };
  await using plain = await targetServer(keep);
  await using secure = await tlsServer(keep);
  const post = poster({ allow: [plain.host, `localhost:${secure.port}`] }, { ca });
  for (const url of [`${plain.origin}/in?a=1`, `https://localhost:${secure.port}/in?a=1`])
    for (let times = 0; times < 2; times += 1) expect(await post(event(url))).toEqual({ status: 204 });
  expect(seen).toEqual(Array(4).fill(['POST', '/in?a=1', '1', undefined, BODY]));
  expect([plain.connections(), secure.connections()]).toEqual([2, 2]);
  await isClosed(plain);
  await isClosed(secure);
});

test('a redirect is returned, not followed', async () => {
  await using secret = await canary();
  for (const status of [301, 302, 303, 307, 308]) {
    await using target = await targetServer((_, response) =>
      response.writeHead(status, { location: secret.origin }).end(),
    );
    const post = poster({ allow: [target.host, secret.host] });
    expect(await post(event(target.origin))).toEqual({ status });
  }
  expect(secret.connections()).toBe(0);
});

test('a receiver that hangs, before or after it has connected, is a timeout', async () => {
  await using silent = await rawServer((socket) => socket.resume());
  for (const url of [silent.origin, silent.origin.replace('http', 'https')]) {
    const post = poster({ allow: [silent.host] }, { timeoutMs: SHORT_MS });
    expect(await post(event(url))).toEqual({ error: 'timeout' });
  }
  await isClosed(silent);
});

test('a receiver that drips its headers is a timeout', async () => {
  await using slow = await rawServer((socket) => {
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const dripping = setInterval(() => socket.write('x-a: b\r\n'), 50);
      socket.once('close', () => clearInterval(dripping));
    });
  });
  const post = poster({ allow: [slow.host] }, { timeoutMs: SHORT_MS });
  expect(await post(event(slow.origin))).toEqual({ error: 'timeout' });
  await isClosed(slow);
});

test('a receiver that drips its body has confirmed, and is not waited for', async () => {
  await using slow = await targetServer((_, response) => {
    response.writeHead(200);
    const dripping = setInterval(() => response.write('.'), 50);
    response.once('close', () => clearInterval(dripping));
  });
  const begun = Date.now();
  expect(await poster({ allow: [slow.host] })(event(slow.origin))).toEqual({ status: 200 });
  expect(Date.now() - begun).toBeLessThan(5_000);
  await isClosed(slow);
});

test('a response of 10 MB is cut off after a few KB', async () => {
  const sent = { bytes: 0 };
  await using large = await rawServer((socket) => {
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10000000\r\n\r\n');
      const more = () => {
        do sent.bytes += 64_000;
        while (!socket.destroyed && socket.write(Buffer.alloc(64_000)));
        socket.once('drain', more);
      };
      more();
    });
  });
  expect(await poster({ allow: [large.host] })(event(large.origin))).toEqual({ status: 200 });
  await isClosed(large);
  expect(sent.bytes).toBeLessThan(8_000_000);
});

test('a response without end or sense is a failure', async () => {
  for (const answer of [
    'nonsense\r\n\r\n',
    `HTTP/1.1 200 OK\r\n${'x-a: b\r\n'.repeat(20_000)}\r\n`,
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
    '',
  ]) {
    await using wrong = await rawServer((socket) => socket.once('data', () => socket.end(answer)));
    const post = poster({ allow: [wrong.host] }, { timeoutMs: SHORT_MS });
    expect(await post(event(wrong.origin))).toEqual({ error: 'bad_upstream_response' });
  }
});

test('a private address is refused at each attempt, in any spelling', async () => {
  await using secret = await canary();
  const post = poster({ allow: [] });
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '0x7f.1', '169.254.169.254', '[::ffff:127.0.0.1]'])
    expect(await post(event(`https://${host}:${secret.port}/`)), host).toEqual({ error: 'url_not_allowed' });
  expect(secret.connections()).toBe(0);
});

test('a name that resolves to a private address the second time is refused then', async () => {
  await using secret = await canary({ port: 8443 }).catch(() => canary());
  let turn = 0;
  await using dns = await dnsServer(({ type }) =>
    type === 'A' ? [turn === 0 ? '203.0.113.1' : '127.0.0.1'] : [],
  );
  const post = poster({ allow: [], dnsServers: [dns.address] }, { timeoutMs: SHORT_MS });
  const answers = [];
  for (; turn < 3; turn += 1) answers.push(await post(event('https://rebind.example.com:8443/')));
  // The first address is public only in name: nothing is dialled that is not vetted.
  expect(answers).toEqual(Array(3).fill({ error: 'url_not_allowed' }));
  expect(dns.asked.length).toBeGreaterThanOrEqual(3);
  expect(secret.connections()).toBe(0);
});

test.each(CERTIFICATES)('of certificates only a sound one is accepted: %s', async (name) => {
  await using target = await tlsServerWith(name, (_, response) => response.end());
  const post = poster({ allow: [`localhost:${target.port}`] }, { ca: authority, timeoutMs: SHORT_MS });
  const answer = await post(event(`https://localhost:${target.port}/`));
  expect(answer).toEqual(name === 'sound' ? { status: 200 } : { error: 'tls_failed' });
  expect(target.open()).toBeLessThanOrEqual(1);
});

test('a refused connection and an unknown host are reported under codes of their own', async () => {
  const gone = await targetServer(() => undefined);
  await gone[Symbol.asyncDispose]();
  expect(await poster({ allow: [gone.host] })(event(gone.origin))).toEqual({ error: 'connect_failed' });
  await using dns = await dnsServer(() => []);
  const post = poster({ allow: [], dnsServers: [dns.address] });
  expect(await post(event('https://nobody.example.com/'))).toEqual({ error: 'dns_failed' });
});

test('a large body arrives whole', async () => {
  const body = 'x'.repeat(20_000);
  let bytes = 0;
  await using target = await targetServer((request, response) => {
    request.on('data', (chunk: Buffer) => (bytes += chunk.length));
    void once(request, 'end').then(() => response.writeHead(200).end());
  });
  expect(await poster({ allow: [target.host] })({ ...event(target.origin), body })).toEqual({
    status: 200,
  });
  expect(bytes).toBe(20_000);
});
