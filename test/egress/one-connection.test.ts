import { once } from 'node:events';
import { expect, test } from 'vitest';
import { openGuard } from '../../shared/egress/guard.ts';
import { rawClient } from '../support/servers/raw-client.ts';
import { rawServer, targetServer } from '../support/servers/target-server.ts';

const SMUGGLED = 'GET /admin HTTP/1.1\r\nHost: x\r\n\r\n';
const LENGTH = `Content-Length: ${SMUGGLED.length}\r\n`;

const METHODS = ['GET', 'DELETE', 'POST'];
const HOP_BY_HOP = [
  'Connection: content-length',
  'Connection: keep-alive,\tContent-LENGTH , host',
  'Connection: close\r\nconnection: content-length',
  'Connection: transfer-encoding, host, content-length',
  'Proxy-Connection: content-length',
  'Expect: 100-continue\r\nConnection: content-length',
];

test.each(METHODS.flatMap((method) => HOP_BY_HOP.map((headers) => [method, headers] as const)))(
  'a body of %s is no second request for the target, whatever is called hop-by-hop: %j',
  async (method, headers) => {
    const requests: string[] = [];
    await using target = await targetServer(({ url = '', headers: { host } }, response) => {
      requests.push(`${host} ${url}`);
      response.end('ok');
    });
    await using guard = await openGuard({ allow: [target.host] });
    const head = `${method} ${target.origin}/ HTTP/1.1\r\nHost: y\r\n${headers}\r\n${LENGTH}\r\n`;
    // The second one follows over the same connection, so a request between them would have been seen.
    const next = `GET ${target.origin}/next HTTP/1.1\r\nHost: y\r\nConnection: close\r\n\r\n`;
    using client = await rawClient(guard.url, head + SMUGGLED);
    await client.hears(/HTTP\/1.1 200/);
    client.socket.write(next);
    await client.ending();
    expect([...new Set(requests)]).toEqual(headers.includes('close') ? ['y /'] : ['y /', 'y /next']);
  },
);

test.each([
  `Content-Length: 0\r\n${LENGTH}`,
  `Content-Length: ${SMUGGLED.length}, 0\r\n`,
  LENGTH.replace(':', ' :'),
  LENGTH.replace(': ', ': +'),
  `X: y\r\n ${LENGTH}`,
  `Transfer-Encoding: chunked\r\n${LENGTH}`,
  `Transfer-Encoding: identity\r\n${LENGTH}`,
  'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n',
  'Connection: transfer-encoding\r\nTransfer-Encoding: chunked\r\n',
])('a body of GET with an ambiguous length reaches no target: %j', async (headers) => {
  let received = '';
  await using target = await rawServer((socket) => {
    socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')));
  });
  await using guard = await openGuard({ allow: [target.host] });
  const line = `GET ${target.origin}/ HTTP/1.1\r\nHost: x\r\n`;
  const chunks = `${SMUGGLED.length.toString(16)}\r\n${SMUGGLED}\r\n0\r\n\r\n`;
  using client = await rawClient(guard.url, `${line}${headers}\r\n${chunks}`);
  expect(await client.ending()).toEqual(['', 'end']);
  expect(received).toBe('');
});

const CONNECT_TO = (host: string) => `CONNECT ${host} HTTP/1.1\r\nHost: x\r\n\r\n`;
const GET = (origin: string, path = '/') => `GET ${origin}${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

/** A target whose `/slow` ends when it is released, and which cuts off `/cut` and `/never`. */
async function slowTarget() {
  const slow = Promise.withResolvers<undefined>();
  const target = await targetServer(({ url }, response) => {
    if (url === '/never') return void response.socket?.destroy();
    if (url === '/cut')
      return void response
        .writeHead(200, { 'content-length': 9 })
        .write('cut', () => response.socket?.destroy());
    response.write('begun ');
    void slow.promise.then(() => response.end('done'));
  });
  return { ...target, release: () => slow.resolve(undefined) };
}

test.each([
  ['is refused', 1, () => GET('http://10.0.0.1')],
  ['has no plain target', 1, () => GET('ftp://x')],
  ['gets no response', 2, ({ origin }: { origin: string }) => GET(origin, '/never')],
  ['gets a response that is cut off', 2, ({ origin }: { origin: string }) => GET(origin, '/cut')],
  ['is a tunnel that is refused', 1, () => CONNECT_TO('10.0.0.1:443')],
  ['is no request', 1, () => 'nonsense\r\n\r\n'],
])(
  'a request that does not wait for the response before it and %s leaves that one whole',
  async (_, connections, second) => {
    await using target = await slowTarget();
    await using guard = await openGuard({ allow: [target.host] });
    using client = await rawClient(guard.url, GET(target.origin, '/slow'));
    await client.hears(/begun/);
    client.socket.write(second(target));
    await expect.poll(() => [target.connections(), target.open()]).toEqual([connections, 1]);
    // Once another client has its answer, the guard has dealt with the second request too.
    using other = await rawClient(guard.url, GET('http://10.0.0.2'));
    await other.ending();
    expect(client.heard()).toMatch(/^HTTP\/1.1 200 [^]*begun \r\n$/);
    target.release();
    const [text, end] = await client.ending();
    expect([text.match(/begun |done/g)?.slice(0, 2), end]).toEqual([['begun ', 'done'], 'end']);
  },
);

test('a request that does not wait for the response before it and opens a tunnel is answered after that one', async () => {
  await using target = await slowTarget();
  await using echo = await rawServer((socket) => socket.end('hello'));
  await using guard = await openGuard({ allow: [target.host, echo.host] });
  using client = await rawClient(guard.url, GET(target.origin, '/slow'));
  await client.hears(/begun/);
  client.socket.write(CONNECT_TO(echo.host));
  target.release();
  expect((await client.ending())[0]).toMatch(
    /begun [^]*done\r\n0\r\n\r\nHTTP\/1.1 200 Connection Established\r\n\r\nhello$/,
  );
});

test('a request that does not wait for the response before it leaves no connection open when its client disconnects', async () => {
  await using target = await slowTarget();
  await using guard = await openGuard({ allow: [target.host] });
  using client = await rawClient(guard.url, GET(target.origin, '/slow') + GET(target.origin, '/slow'));
  await expect.poll(() => target.open()).toBe(2);
  client.socket.destroy();
  await once(client.socket, 'close');
  await expect.poll(() => target.open()).toBe(0);
});
