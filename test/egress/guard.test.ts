import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { openGuard } from '../../shared/egress/guard.ts';
import { dnsServer } from '../support/servers/dns-server.ts';
import { proxyClient, say } from '../support/servers/proxy-client.ts';
import { canary, rawServer, saying, targetServer } from '../support/servers/target-server.ts';

const ESTABLISHED = 'HTTP/1.1 200 Connection Established';

/** The response to a CONNECT with this authority. */
function tunnel(proxyUrl: string, authority: string, payload = ''): Promise<string> {
  return say(proxyUrl, `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n${payload}`);
}

test('a tunnel to an allowed target carries bytes both ways and counts them', async () => {
  await using target = await saying('pong');
  await using guard = await openGuard({ allow: [target.host] });
  expect(await tunnel(guard.url, target.host, 'ping')).toBe(`${ESTABLISHED}\r\n\r\npong`);
  expect(guard.bytes()).toBe('ping'.length + 'pong'.length);
});

test('a target may send the first bytes', async () => {
  await using target = await rawServer((socket) => socket.end('220 welcome'));
  await using guard = await openGuard({ allow: [target.host] });
  expect(await tunnel(guard.url, target.host)).toBe(`${ESTABLISHED}\r\n\r\n220 welcome`);
});

test.each([
  '127.0.0.1',
  '127.1',
  '0x7f000001',
  '2130706433',
  '0177.0.0.1',
  'localhost',
  'LOCALHOST.',
  'a.localhost',
  'a@127.0.0.1',
  'example.com@127.0.0.1',
  '127.0.0.1%00',
  '[::ffff:7f00:1]',
  '[::ffff:127.0.0.1]',
  '[::1]',
  '[::]',
  '[::1%25lo]',
  '0.0.0.0',
  '0',
  '①②⑦.0.0.1',
])('CONNECT to the canary written as %s is refused without a reason', async (host) => {
  await using secret = await canary();
  await using guard = await openGuard({ allow: [] });
  expect(await tunnel(guard.url, `${host}:${secret.port}`)).not.toMatch(/200|secret|127\./);
  expect(await say(guard.url, `GET http://${host}:${secret.port}/ HTTP/1.1\r\nHost: x\r\n\r\n`)).toBe('');
  expect(secret.connections()).toBe(0);
});

test.each([
  '127.0.0.1',
  '127.0.0.1:',
  ':PORT',
  '127.0.0.1:99999',
  '127.0.0.1:PORT/x',
  '127.0.0.1:PORT%00',
  'a@127.0.0.1:PORT',
  'http://127.0.0.1:PORT',
  '*',
  '/',
])('CONNECT to the invalid authority "%s" is refused even if the target is allowed', async (authority) => {
  await using target = await saying('pong');
  await using guard = await openGuard({ allow: [target.host] });
  expect(await tunnel(guard.url, authority.replace('PORT', String(target.port)))).not.toContain('200');
  expect(target.connections()).toBe(0);
});

test.each([
  'GET / HTTP/1.1',
  'GET https://127.0.0.1/ HTTP/1.1',
  'GET file:///etc/passwd HTTP/1.1',
  'GET ftp://x/ HTTP/1.1',
  'nonsense',
])('the request line "%s" gets no response', async (line) => {
  await using guard = await openGuard({ allow: [] });
  expect(await say(guard.url, `${line}\r\nHost: x\r\n\r\n`)).toBe('');
});

test('a request with a user in its URL does not reach the target', async () => {
  await using target = await saying('HTTP/1.1 200 OK\r\n\r\n');
  await using guard = await openGuard({ allow: [target.host] });
  expect(await say(guard.url, `GET http://a@${target.host}/ HTTP/1.1\r\nHost: x\r\n\r\n`)).toBe('');
  expect(target.connections()).toBe(0);
});

test('the guard does not connect to itself, even if its address is allowed', async () => {
  const allow: string[] = [];
  await using guard = await openGuard({ allow });
  const own = new URL(guard.url).host;
  allow.push(own);
  expect(await tunnel(guard.url, own)).not.toContain('200');
  expect(guard.faultOf(guard.url)?.code).toBe('url_not_allowed');
});

test('the reason for a failed request is available within the process only', async () => {
  await using dns = await dnsServer(() => []);
  const gone = await canary();
  await gone[Symbol.asyncDispose]();
  await using guard = await openGuard({ allow: [gone.host], dnsServers: [dns.address] });
  await tunnel(guard.url, '10.0.0.1:443');
  await tunnel(guard.url, 'nobody.example.com:443');
  await tunnel(guard.url, gone.host);
  expect(guard.faultOf('https://10.0.0.1/x')?.code).toBe('url_not_allowed');
  expect(guard.faultOf('https://nobody.example.com')?.code).toBe('dns_failed');
  expect(guard.faultOf(gone.origin)?.code).toBe('connect_failed');
  expect(guard.faultOf('https://example.com/')).toBeUndefined();
});

test('a fault is cleared once the target responds', async () => {
  const answers = ['nonsense', 'HTTP/1.1 204 No Content\r\n\r\n'];
  await using target = await rawServer((socket) =>
    socket.once('data', () => socket.end(answers.shift() ?? '')),
  );
  await using guard = await openGuard({ allow: [target.host] });
  const ask = () => say(guard.url, `GET ${target.origin}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  expect(await ask()).toBe('');
  expect(guard.faultOf(target.origin)?.code).toBe('bad_upstream_response');
  expect(await ask()).toContain('204');
  expect(guard.faultOf(target.origin)).toBeUndefined();
});

test.each(['GET', 'DELETE', 'HEAD', 'OPTIONS'])(
  'a chunked body on %s does not reach the target',
  async (method) => {
    await using target = await saying('HTTP/1.1 200 OK\r\n\r\n');
    await using guard = await openGuard({ allow: [target.host] });
    const smuggled = 'GET /admin HTTP/1.1\r\nHost: x\r\n\r\n';
    const head = `${method} ${target.origin}/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`;
    expect(await say(guard.url, `${head}${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`)).toBe(
      '',
    );
    expect(target.connections()).toBe(0);
  },
);

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const okay = () => rawServer((socket) => socket.on('data', () => socket.write(OK)));

test('plain HTTP requests of one client connection to one target reuse one connection', async () => {
  await using target = await targetServer((_, response) => response.end('ok'));
  await using guard = await openGuard({ allow: [target.host] });
  using client = proxyClient(guard.url);
  for (let asked = 0; asked < 3; asked += 1) expect(await client.get(target.origin)).toBe('ok');
  expect(target.connections()).toBe(1);
});

test('plain HTTP requests that are pipelined get a connection each', async () => {
  await using target = await targetServer((_, response) => response.end('ok'));
  await using guard = await openGuard({ allow: [target.host] });
  const line = `GET ${target.origin}/ HTTP/1.1\r\nHost: x\r\n`;
  await say(guard.url, `${line}\r\n${line}Connection: close\r\n\r\n`);
  expect(target.connections()).toBe(2);
});

test('plain HTTP requests never share a connection between client connections or targets', async () => {
  await using here = await okay();
  await using there = await okay();
  await using guard = await openGuard({ allow: [here.host, there.host] });
  using client = proxyClient(guard.url);
  using other = proxyClient(guard.url);
  for (const { origin } of [here, there, here]) expect(await client.get(origin)).toBe('ok');
  await other.get(here.origin);
  expect([here.connections(), there.connections()]).toEqual([3, 1]);
  await expect.poll(() => [here.open(), there.open()]).toEqual([2, 0]);
});

test('plain HTTP requests leave no connection open when their client disconnects', async () => {
  await using target = await okay();
  await using guard = await openGuard({ allow: [target.host] });
  using client = proxyClient(guard.url);
  await client.get(target.origin);
  expect(target.open()).toBe(1);
  client[Symbol.dispose]();
  await expect.poll(() => target.open()).toBe(0);
});

test('plain HTTP requests reconnect when the target has closed the connection', async () => {
  await using target = await saying(OK);
  await using guard = await openGuard({ allow: [target.host] });
  using client = proxyClient(guard.url);
  for (let asked = 0; asked < 2; asked += 1) {
    expect(await client.get(target.origin)).toBe('ok');
    await expect.poll(() => target.open()).toBe(0);
  }
  expect(target.connections()).toBe(2);
});

test('plain HTTP requests never receive surplus bytes of an earlier response', async () => {
  const unasked = OK.replace('ok', 'no');
  await using target = await rawServer((socket) => socket.once('data', () => socket.write(OK + unasked)));
  await using guard = await openGuard({ allow: [target.host] });
  using client = proxyClient(guard.url);
  await client.get(target.origin);
  expect(await client.get(target.origin)).toBe('ok');
});

test('the target does not receive proxy headers', async () => {
  let seen: string[] = [];
  await using target = await targetServer((request, response) => {
    seen = Object.keys(request.headers);
    response.end();
  });
  await using guard = await openGuard({ allow: [target.host] });
  const headers =
    'Host: x\r\nProxy-Connection: keep-alive\r\nProxy-Authorization: Basic YTpi\r\nConnection: close\r\n';
  await say(guard.url, `GET ${target.origin}/ HTTP/1.1\r\n${headers}\r\n`);
  expect(seen).toEqual(['host', 'connection']);
});

test('a scrape is cut off at 200 MB on the wire and can open no more connections', async () => {
  const megabyte = Buffer.alloc(1_000_000);
  await using target = await rawServer(function flood(socket) {
    while (socket.writable && socket.write(megabyte));
    socket.once('drain', () => flood(socket));
  });
  await using guard = await openGuard({ allow: [target.host] });
  const client = connect(Number(new URL(guard.url).port), '127.0.0.1').resume();
  client.write(`CONNECT ${target.host} HTTP/1.1\r\nHost: x\r\n\r\n`);
  await once(client, 'end');
  expect(guard.bytes()).toBeGreaterThan(200_000_000);
  expect(guard.bytes()).toBeLessThan(210_000_000);
  expect(guard.faultOf(target.origin)?.code).toBe('response_too_large');
  expect(await tunnel(guard.url, target.host)).not.toContain('200');
  client.destroy();
});

test('closing ends tunnels and pending connects, and is idempotent', async () => {
  await using dns = await dnsServer(() => 'silence');
  await using target = await rawServer(() => undefined);
  const guard = await openGuard({ allow: [target.host], dnsServers: [dns.address] });
  const client = connect(Number(new URL(guard.url).port), '127.0.0.1');
  client.write(`CONNECT ${target.host} HTTP/1.1\r\nHost: x\r\n\r\n`);
  await once(client, 'data');
  const dialling = tunnel(guard.url, 'slow.example.com:443');
  await expect.poll(() => dns.asked.length).toBeGreaterThan(0);
  const ended = once(client.resume(), 'close');
  await Promise.all([guard.close(), guard.close()]);
  await ended;
  expect(await dialling).toBe('');
});
