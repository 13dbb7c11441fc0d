import { once } from 'node:events';
import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { openGuard } from '../../shared/egress/guard.ts';
import { rawClient } from '../support/servers/raw-client.ts';
import { rawServer, targetServer } from '../support/servers/target-server.ts';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const bodyOf = (text: string) => text.slice(text.indexOf('\r\n\r\n') + 4);

/** A target that responds to the first bytes of a connection, and records all that it receives. */
async function answering(answer: string | ((socket: Socket) => void)) {
  let got = '';
  const server = await rawServer((socket) => {
    socket.on('data', (chunk: Buffer) => (got += chunk.toString('latin1')));
    socket.once('data', () => (typeof answer === 'string' ? socket.write(answer, 'latin1') : answer(socket)));
  });
  return { ...server, got: () => got };
}

type Request = { method?: string; headers?: string; version?: string; body?: string };

/** Sends a plain request, and reads until the connection ends. */
async function ask(target: { host: string; origin: string }, request: Request = {}) {
  const { method = 'GET', headers = '', version = '1.1', body = '' } = request;
  await using guard = await openGuard({ allow: [target.host] });
  const line = `${method} ${target.origin}/ HTTP/${version}`;
  using client = await rawClient(
    guard.url,
    `${line}\r\nHost: x\r\n${headers}Connection: close\r\n\r\n${body}`,
  );
  const [text, end] = await client.ending();
  return { text, end, fault: guard.faultOf(target.origin)?.code };
}

test('headers of a request keep their order, case and number, without headers for the proxy', async () => {
  await using target = await answering(OK);
  const headers = [
    'ACCEPT: a',
    'x-One: 1',
    'Proxy-Connection: keep-alive',
    'X-One: 2',
    'accept: b',
    'X-Hop: secret',
    'Proxy-Authorization: Basic YTpi',
    'TE: trailers',
    'Connection: X-Hop, TE',
    'X-Latin: caf\xe9',
  ];
  await ask(target, { headers: `${headers.join('\r\n')}\r\n` });
  expect(target.got().split('\r\n')).toEqual([
    'GET / HTTP/1.1',
    'Host: x',
    'Connection: keep-alive',
    'ACCEPT: a',
    'x-One: 1',
    'X-One: 2',
    'accept: b',
    'X-Latin: caf\xe9',
    '',
    '',
  ]);
});

test('headers of a response keep their order, case and number, without headers for the proxy', async () => {
  const headers = [
    'SET-Cookie: a',
    'set-cookie: b',
    'Proxy-Authenticate: Basic',
    'X-Hop: secret',
    'Connection: x-hop',
    'Keep-Alive: timeout=1',
    'X-Folded: one',
    '  two',
    'X-Control: \x01',
    'content-LENGTH: 2',
  ];
  await using target = await answering(`HTTP/1.1 200 OK\r\n${headers.join('\r\n')}\r\n\r\nok`);
  expect((await ask(target)).text.split('\r\n')).toEqual([
    'HTTP/1.1 200 ',
    'SET-Cookie: a',
    'set-cookie: b',
    expect.stringMatching(/^X-Folded: one\s+two$/),
    'content-LENGTH: 2',
    'Connection: close',
    '',
    'ok',
  ]);
});

test.each([101, 3_000])('headers of a response are passed on, all %i of them', async (count) => {
  const lines = Array.from({ length: count }, (_, index) => `X-${index}: v\r\n`).join('');
  await using target = await answering(`HTTP/1.1 200 OK\r\nContent-Length: 2\r\n${lines}\r\nok`);
  const { text } = await ask(target);
  expect(text.match(/^X-\d+: v$/gm)?.length).toBe(count);
});

test('headers are not added by the proxy', async () => {
  await using target = await answering(OK);
  await using guard = await openGuard({ allow: [target.host] });
  using client = await rawClient(guard.url, `GET ${target.origin}/a?b? HTTP/1.1\r\n\r\n`);
  expect(await client.hears(/ok$/)).not.toMatch(/date/i);
  expect(target.got()).toBe('GET /a?b? HTTP/1.1\r\nConnection: keep-alive\r\n\r\n');
});

test.each([
  ['204', 'HTTP/1.1 204 No Content\r\n\r\n'],
  ['304 with a length', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n'],
  ['304 with chunks', 'HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n'],
])('a response without a body ends after its headers: %s', async (_, answer) => {
  await using target = await answering(answer);
  const { text, end } = await ask(target);
  expect([bodyOf(text), end]).toEqual(['', 'end']);
});

test('a response to HEAD has a length and no body', async () => {
  await using target = await answering('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n');
  const { text } = await ask(target, { method: 'HEAD' });
  expect(text).toContain('Content-Length: 5');
  expect(bodyOf(text)).toBe('');
});

test('a response that ends with the connection is complete', async () => {
  await using target = await answering((socket) => socket.end('HTTP/1.0 200 OK\r\n\r\npage'));
  const { text, end } = await ask(target);
  expect([bodyOf(text), end]).toEqual(['4\r\npage\r\n0\r\n\r\n', 'end']);
});

test('a response in chunks is sent to an HTTP/1.0 client without chunks', async () => {
  await using target = await answering(
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\npage\r\n0\r\n\r\n',
  );
  const { text, end } = await ask(target, { version: '1.0' });
  expect([bodyOf(text), end]).toEqual(['page', 'end']);
  expect(text).not.toMatch(/transfer-encoding/i);
});

test('a response keeps its trailers', async () => {
  await using target = await answering(
    'HTTP/1.1 200 OK\r\nTrailer: X-Sum\r\nTransfer-Encoding: chunked\r\n\r\n4\r\npage\r\n0\r\nX-Sum: 7\r\n\r\n',
  );
  expect(bodyOf((await ask(target)).text)).toBe('4\r\npage\r\n0\r\nX-Sum: 7\r\n\r\n');
});

test('a response of 407 is passed on as a page, without Proxy-Authenticate', async () => {
  await using target = await answering(
    'HTTP/1.1 407 Proxy\r\nProxy-Authenticate: Basic realm="x"\r\nContent-Length: 4\r\n\r\npage',
  );
  const { text, fault } = await ask(target);
  expect(text).toMatch(/^HTTP\/1\.1 407 /);
  expect(text).not.toMatch(/proxy-authenticate/i);
  expect([bodyOf(text), fault]).toEqual(['page', undefined]);
});

test.each([
  ['no bytes', ''],
  ['incomplete headers', 'HTTP/1.1 200 OK\r\nContent-Le'],
  ['an unrequested protocol', 'HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nabc'],
  ['a status below 100', 'HTTP/1.1 099 No\r\nContent-Length: 1\r\n\r\na'],
])('a response with %s closes the connection and records a fault', async (_, answer) => {
  await using target = await answering((socket) => socket.end(answer));
  expect(await ask(target)).toEqual({ text: '', end: 'end', fault: 'bad_upstream_response' });
});

const HEADS = {
  'without a length': 'HTTP/1.1 200 OK\r\n\r\npage',
  'of HTTP/1.0': 'HTTP/1.0 200 OK\r\n\r\npage',
  'with a length': 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\npage',
  'in chunks': 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\npage\r\n',
};

test.each(Object.entries(HEADS))(
  'an incomplete response: %s that is reset resets the client connection',
  async (_, head) => {
    const started = Promise.withResolvers<Socket>();
    await using target = await answering((socket) => {
      socket.write(head);
      started.resolve(socket);
    });
    await using guard = await openGuard({ allow: [target.host] });
    using client = await rawClient(guard.url, `GET ${target.origin}/ HTTP/1.1\r\nHost: x\r\n\r\n`);
    await client.hears(/page/);
    (await started.promise).resetAndDestroy();
    const [text, end] = await client.ending();
    expect(end).toBe('ECONNRESET');
    expect(text).not.toContain('\r\n0\r\n');
  },
);

test.each(Object.entries(HEADS).slice(2))(
  'an incomplete response: %s that ends early stays incomplete for the client',
  async (_, head) => {
    await using target = await answering((socket) => socket.end(head));
    const { text, end } = await ask(target);
    expect([text.includes('page'), text.includes('\r\n0\r\n'), end]).toEqual([true, false, 'end']);
  },
);

test('a reset tunnel resets the client connection after the bytes received so far', async () => {
  await using target = await answering((socket) => socket.write('page', () => socket.resetAndDestroy()));
  await using guard = await openGuard({ allow: [target.host] });
  using client = await rawClient(guard.url, `CONNECT ${target.host} HTTP/1.1\r\nHost: x\r\n\r\nhello`);
  const [text, end] = await client.ending();
  expect([bodyOf(text), end]).toEqual(['page', 'ECONNRESET']);
});

test('a request keeps its chunks and trailers', async () => {
  await using target = await answering((socket) => {
    // The request may arrive in several packets.
    const answer = () => target.got().includes('\r\n\r\n0\r\n') || target.got().endsWith('X-Sum: 7\r\n\r\n');
    const look = () => answer() && socket.write(OK);
    socket.on('data', look);
    look();
  });
  const headers = 'Transfer-Encoding: chunked\r\n';
  await ask(target, { method: 'POST', headers, body: '4\r\npage\r\n0\r\nX-Sum: 7\r\n\r\n' });
  expect(target.got()).toMatch(/\r\nTransfer-Encoding: chunked\r\n\r\n4\r\npage\r\n0\r\nX-Sum: 7\r\n\r\n$/);
});

test('a request that expects 100 Continue gets it from the target only', async () => {
  const asked = Promise.withResolvers<Socket>();
  await using target = await answering((socket) => asked.resolve(socket));
  await using guard = await openGuard({ allow: [target.host] });
  const head = `POST ${target.origin}/ HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n`;
  using client = await rawClient(guard.url, head);
  const socket = await asked.promise;
  expect([client.heard(), target.got()]).toEqual(['', expect.stringContaining('Expect: 100-continue')]);
  socket.write('HTTP/1.1 100 Continue\r\n\r\n');
  await client.hears(/^HTTP\/1\.1 100 Continue\r\n\r\n$/);
  client.socket.write('page');
  await expect.poll(() => bodyOf(target.got())).toBe('page');
  socket.write(OK);
  await client.hears(/ok$/);
});

test('a request with an unknown expectation is passed on to the target', async () => {
  await using target = await answering(OK);
  expect(bodyOf((await ask(target, { headers: 'Expect: wonders\r\n' })).text)).toBe('ok');
});

test('a request that gets an early response leaves its connection reusable', async () => {
  await using target = await answering(OK);
  await using guard = await openGuard({ allow: [target.host] });
  const head = `POST ${target.origin}/ HTTP/1.1\r\nHost: x\r\nContent-Length: 2000000\r\n\r\n`;
  using client = await rawClient(guard.url, head);
  await client.hears(/ok$/);
  client.socket.write(Buffer.alloc(2_000_000));
  client.socket.write(`GET ${target.origin}/ HTTP/1.1\r\nHost: x\r\n\r\n`);
  await client.hears(/ok[^]*ok$/);
});

test('a request of GET with a chunked body does not reach a target over a kept connection', async () => {
  await using target = await answering(OK);
  await using guard = await openGuard({ allow: [target.host] });
  const line = `GET ${target.origin}/ HTTP/1.1\r\nHost: x\r\n`;
  using client = await rawClient(guard.url, `${line}\r\n`);
  await client.hears(/ok$/);
  client.socket.write(`${line}Transfer-Encoding: chunked\r\n\r\n4\r\npage\r\n0\r\n\r\n`);
  expect((await client.ending())[1]).toBe('end');
  expect(target.got().match(/GET/g)?.length).toBe(1);
  expect(guard.faultOf(target.origin)?.code).toBe('url_not_allowed');
});

test('a request and its response are complete at any reading pace', async () => {
  const megabyte = Buffer.alloc(1_000_000, 'x');
  await using target = await targetServer((request, response) => request.pipe(response));
  await using guard = await openGuard({ allow: [target.host] });
  const head = `POST ${target.origin}/ HTTP/1.1\r\nHost: x\r\nContent-Length: 8000000\r\nConnection: close\r\n\r\n`;
  using client = await rawClient(guard.url, head);
  for (let sent = 0; sent < 8; sent += 1) {
    client.socket.pause();
    if (!client.socket.write(megabyte)) {
      client.socket.resume();
      await once(client.socket, 'drain');
    }
  }
  client.socket.resume();
  const [text, end] = await client.ending();
  expect([text.match(/x/g)?.length, end]).toEqual([8_000_000, 'end']);
});

test('pipelined requests do not share a connection, even if one was kept', async () => {
  await using target = await targetServer((_, response) => response.end('ok'));
  await using guard = await openGuard({ allow: [target.host] });
  const line = `GET ${target.origin}/ HTTP/1.1\r\nHost: x\r\n\r\n`;
  using client = await rawClient(guard.url, line);
  await client.hears(/ok$/);
  client.socket.write(line + line);
  await client.hears(/ok[^]*ok[^]*ok$/);
  expect(target.connections()).toBe(2);
});

test('a connection with unrequested bytes from the target is not reused', async () => {
  let socket: Socket | undefined;
  await using target = await answering((opened) => {
    socket = opened;
    opened.write(OK);
  });
  await using guard = await openGuard({ allow: [target.host] });
  const line = `GET ${target.origin}/ HTTP/1.1\r\nHost: x\r\n\r\n`;
  using client = await rawClient(guard.url, line);
  await client.hears(/ok$/);
  socket?.write(OK.replace('ok', 'no'));
  await expect.poll(() => target.open()).toBe(0);
  client.socket.write(line);
  expect(await client.hears(/ok[^]*ok$/)).not.toContain('no');
  expect(target.connections()).toBe(2);
});

test.each(['http://127.0.0.1!/', 'http://a..b:8080/'])(
  'the invalid host in %s is not allowed',
  async (url) => {
    await using guard = await openGuard({ allow: [] });
    const { host } = new URL(url);
    using plain = await rawClient(guard.url, `GET ${url} HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect(await plain.ending()).toEqual(['', 'end']);
    expect(guard.faultOf(url)?.code).toBe('url_not_allowed');
    using tunnel = await rawClient(
      guard.url,
      `CONNECT ${host.replace('!', '!:443')} HTTP/1.1\r\nHost: x\r\n\r\n`,
    );
    await tunnel.hears(/502/);
    expect(guard.faultOf(url.replace('http:', host.includes(':') ? 'http:' : 'https:'))?.code).toBe(
      'url_not_allowed',
    );
  },
);

test.each(['client', 'target'])(
  'a tunnel whose %s ends first stays open in the other direction',
  async (first) => {
    const opened = Promise.withResolvers<Socket>();
    await using target = await rawServer((socket) => {
      socket.allowHalfOpen = true;
      opened.resolve(socket);
    });
    await using guard = await openGuard({ allow: [target.host] });
    using client = await rawClient(guard.url, `CONNECT ${target.host} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await client.hears(/200/);
    const [ending, other] =
      first === 'client' ? [client.socket, await opened.promise] : [await opened.promise, client.socket];
    let heard = '';
    ending.on('data', (chunk: Buffer) => (heard += chunk.toString()));
    const ended = once(other.resume(), 'end');
    ending.end('bye');
    await ended;
    other.end('well then');
    await once(ending, 'end');
    expect(heard).toContain('well then');
    await expect.poll(() => target.open()).toBe(0);
  },
);

test('a tunnel closes when its client disconnects', async () => {
  await using target = await rawServer(() => undefined);
  await using guard = await openGuard({ allow: [target.host] });
  using client = await rawClient(guard.url, `CONNECT ${target.host} HTTP/1.1\r\nHost: x\r\n\r\n`);
  await client.hears(/200/);
  client.socket.resetAndDestroy();
  await expect.poll(() => target.open()).toBe(0);
});

const UPGRADE = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: k\r\n';

test('another protocol works in both directions once the target has accepted it', async () => {
  await using target = await answering((socket) => {
    socket.write('HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nX-A: b\r\n\r\nhi');
    socket.on('data', (chunk) => socket.write(chunk));
  });
  await using guard = await openGuard({ allow: [target.host] });
  using client = await rawClient(
    guard.url,
    `GET ${target.origin}/ HTTP/1.1\r\nHost: x\r\n${UPGRADE}\r\nearly `,
  );
  const head = 'HTTP/1.1 101 \r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX-A: b\r\n\r\n';
  await client.hears(/hiearly $/);
  client.socket.write('late');
  expect(await client.hears(/late$/)).toBe(`${head}hiearly late`);
  expect(target.got()).toContain('Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: k\r\n\r\n');
  client.socket.destroy();
  await expect.poll(() => target.open()).toBe(0);
});

test('another protocol that the target does not support gets the page of the target', async () => {
  await using target = await answering(
    'HTTP/1.1 426 No\r\nTransfer-Encoding: chunked\r\n\r\n4\r\npage\r\n0\r\n\r\n',
  );
  const { text, end } = await ask(target, { headers: UPGRADE });
  expect([text.slice(0, 12), bodyOf(text), end]).toEqual(['HTTP/1.1 426', 'page', 'end']);
});

test('another protocol that gets no response is a fault', async () => {
  await using target = await answering((socket) => socket.destroy());
  expect(await ask(target, { headers: UPGRADE })).toEqual({
    text: '',
    end: 'end',
    fault: 'bad_upstream_response',
  });
});
