import type { RequestListener } from 'node:http';
import { constants } from 'node:http2';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test, vi } from 'vitest';
import { AppError } from '../../shared/errors.ts';
import { openGuard } from '../../shared/egress/guard.ts';
import { staticFetch, type StaticRequest } from '../../shared/egress/fetch/static-fetch.ts';
import { portraitOf } from '../support/servers/client-hello.ts';
import { identityServer } from '../support/servers/identity-server.ts';
import {
  http2Server,
  type Listening,
  rawServer,
  targetServer,
  tlsServer,
} from '../support/servers/target-server.ts';

vi.stubEnv('SSL_CERT_FILE', fileURLToPath(new URL('../fixtures/tls/ca.pem', import.meta.url)));
afterAll(() => vi.unstubAllEnvs());

const METHODS = ['POST', 'PUT', 'PATCH'] as const;

async function fetchPage(request: StaticRequest, hosts: string[], timeoutMs = 10_000) {
  await using guard = await openGuard({ allow: hosts });
  return await staticFetch(request, guard, AbortSignal.timeout(timeoutMs));
}
const faultOf = (...args: Parameters<typeof fetchPage>) =>
  fetchPage(...args).then(
    ({ status }) => status,
    (error: unknown) => (error instanceof AppError ? { code: error.code, ...error.fields } : error),
  );

/** Records each request, then responds with `answer`. */
function recording(answer: RequestListener) {
  const seen: { method: string; path: string; type: string | undefined; body: string; own: unknown }[] = [];
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      const body = Buffer.concat(chunks).toString();
      seen.push({ method, path, type: headers['content-type'], body, own: headers['x-own'] });
      answer(request, response);
    });
  };
  return { seen, listener };
}

test.each(METHODS)(
  'a request with a body reaches the target by %s unchanged, and its page comes back',
  async (method) => {
    const { seen, listener } = recording((_, response) => response.end('done'));
    await using target = await targetServer(listener);
    const body = '{"name": "Zoë", "n": 1}\r\n';
    const request = { url: target.origin, method, body, headers: { 'content-type': 'application/json' } };
    expect(Buffer.from((await fetchPage(request, [target.host])).body).toString()).toBe('done');
    expect(seen).toMatchObject([{ method, type: 'application/json', body }]);
  },
);

test('a request with a body is text if its headers do not say otherwise, and may be empty or 256 KiB long', async () => {
  const { seen, listener } = recording((_, response) => response.end());
  await using target = await targetServer(listener);
  for (const body of ['a=1', '', 'x'.repeat(262_144)])
    await fetchPage({ url: target.origin, method: 'POST', body }, [target.host]);
  await fetchPage({ url: target.origin, method: 'POST' }, [target.host]);
  expect(seen.map(({ type, body }) => [type, body.length])).toEqual([
    ['text/plain;charset=UTF-8', 3],
    ['text/plain;charset=UTF-8', 0],
    ['text/plain;charset=UTF-8', 262_144],
    [undefined, 0],
  ]);
});

test.each(METHODS)(
  'a request without a body by %s says so with a length of 0, also over TLS',
  async (method) => {
    const seen: unknown[] = [];
    const listener: RequestListener = ({ headers, url }, response) => {
      seen.push([url, headers['content-length'], headers['transfer-encoding']]);
      response.end();
    };
    await using plain = await targetServer(listener);
    await using secure = await tlsServer(listener);
    for (const { origin, host } of [plain, secure]) {
      await fetchPage({ url: `${origin}/none`, method }, [host]);
      await fetchPage({ url: `${origin}/empty`, method, body: '' }, [host]);
    }
    const once = [
      ['/none', '0', undefined],
      ['/empty', '0', undefined],
    ];
    expect(seen).toEqual([...once, ...once]);
  },
);

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded', 'X-Own': 'mine' };

test.each([
  [301, 'POST', 'GET'],
  [302, 'POST', 'GET'],
  [303, 'POST', 'GET'],
  [303, 'PUT', 'GET'],
  [303, 'PATCH', 'GET'],
  [301, 'PUT', 'PUT'],
  [302, 'PATCH', 'PATCH'],
  [307, 'POST', 'POST'],
  [308, 'POST', 'POST'],
  [307, 'PUT', 'PUT'],
  [308, 'PATCH', 'PATCH'],
] as const)(
  'a redirect with %i follows %s by %s, with the body only if the method stays',
  async (status, method, then) => {
    const { seen, listener } = recording(({ url }, response) =>
      url === '/' ? response.writeHead(status, { location: '/next' }).end() : response.end('arrived'),
    );
    await using target = await targetServer(listener);
    const request = { url: `${target.origin}/`, method, body: 'a=1', headers: FORM };
    const page = await fetchPage(request, [target.host]);
    const isKept = then !== 'GET';
    expect([page.redirects, seen]).toEqual([
      1,
      [
        { method, path: '/', type: FORM['Content-Type'], body: 'a=1', own: 'mine' },
        {
          method: then,
          path: '/next',
          type: isKept ? FORM['Content-Type'] : undefined,
          body: isKept ? 'a=1' : '',
          own: 'mine',
        },
      ],
    ]);
  },
);

test('a redirect to another origin takes the body and its type along, and no other header', async () => {
  const { seen, listener } = recording((_, response) => response.end());
  await using other = await targetServer(listener);
  await using first = await targetServer((request, response) => {
    request.resume().on('end', () => response.writeHead(307, { location: other.origin }).end());
  });
  const request = { url: first.origin, method: 'POST', body: 'a=1', headers: FORM } as const;
  await fetchPage(request, [first.host, other.host]);
  expect(seen).toMatchObject([{ method: 'POST', type: FORM['Content-Type'], body: 'a=1', own: undefined }]);
});

test('a redirect with an unusual address is not requested again', async () => {
  const { seen, listener } = recording((_, response) =>
    response.writeHead(302, { location: Buffer.from('/ü').toString('latin1') }).end('see there'),
  );
  await using target = await targetServer(listener);
  const request = { url: target.origin, method: 'POST', body: 'a=1' } as const;
  expect((await fetchPage(request, [target.host])).status).toBe(302);
  expect(seen).toHaveLength(1);
});

type Fault = [name: string, open: (seen: () => void) => Promise<Listening & { origin: string }>];

const ONCE: Fault[] = [
  [
    'resets the connection',
    (seen) => rawServer((socket) => socket.once('data', () => (seen(), socket.resetAndDestroy()))),
  ],
  [
    'closes the connection',
    (seen) => rawServer((socket) => socket.once('data', () => (seen(), socket.end()))),
  ],
  [
    'sends half a page',
    (seen) =>
      rawServer((socket) =>
        socket.once('data', () => (seen(), socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf'))),
      ),
  ],
  [
    'sends no HTTP',
    (seen) => rawServer((socket) => socket.once('data', () => (seen(), socket.end('220 mail\r\n')))),
  ],
  ['resets the connection inside TLS', (seen) => tlsServer((request) => (seen(), request.socket.destroy()))],
];

test.each(ONCE)(
  'a target that %s sees a POST once, and the error says that it may have been sent',
  async (_, open) => {
    let seen = 0;
    await using target = await open(() => (seen += 1));
    const url = target.origin.replace('127.0.0.1', 'localhost');
    const hosts = [target.host, `localhost:${target.port}`];
    const fault = await faultOf({ url, method: 'POST', body: 'a=1' }, hosts);
    expect([seen, fault]).toEqual([1, { code: 'maybe_sent', cause: 'bad_upstream_response' }]);
  },
);

test('a target that does not respond in time sees a POST once', async () => {
  const { seen, listener } = recording(() => undefined);
  await using target = await targetServer(listener);
  const fault = await faultOf({ url: target.origin, method: 'POST', body: 'a=1' }, [target.host], 1_000);
  expect([seen.length, fault]).toEqual([1, { code: 'maybe_sent', cause: 'timeout', phase: 'first_byte' }]);
});

test('a target that redirects a POST to a dead end sees it once', async () => {
  const { seen, listener } = recording((_, response) =>
    response.writeHead(303, { location: 'http://127.0.0.1:1/' }).end(),
  );
  await using target = await targetServer(listener);
  const request = { url: target.origin, method: 'POST', body: 'a=1' } as const;
  const fault = await faultOf(request, [target.host, '127.0.0.1:1']);
  expect([seen.length, fault]).toEqual([1, { code: 'maybe_sent', cause: 'connect_failed' }]);
});

test.each(['http', 'https'])(
  'a target that cannot be reached over %s was not sent a POST',
  async (scheme) => {
    const request = { url: `${scheme}://127.0.0.1:1/`, method: 'POST', body: 'a=1' } as const;
    expect(await faultOf(request, ['127.0.0.1:1'])).toEqual({ code: 'connect_failed' });
  },
);

test('a target that never begins TLS was not sent a POST', async () => {
  await using silent = await rawServer(() => undefined);
  const request = { url: `https://${silent.host}/`, method: 'POST', body: 'a=1' } as const;
  expect(await faultOf(request, [silent.host], 1_000)).toEqual({ code: 'timeout', phase: 'tls' });
});

test('a target that speaks HTTP/2 alone is not sent a POST, which HTTP/2 could repeat', async () => {
  let seen = 0;
  await using target = await http2Server((stream) => {
    seen += 1;
    stream.close(constants.NGHTTP2_REFUSED_STREAM);
  });
  const host = `localhost:${target.port}`;
  const request = { url: `https://${host}/`, method: 'POST', body: 'a=1' } as const;
  expect([await faultOf(request, [host]), seen]).toEqual([{ code: 'tls_failed' }, 0]);
});

test('a target that fails a GET may be sent it again', async () => {
  await using target = await rawServer((socket) => socket.once('data', () => socket.end()));
  expect(await faultOf({ url: target.origin, method: 'GET' }, [target.host])).toEqual({
    code: 'bad_upstream_response',
  });
});

test('a POST has the ClientHello of a GET, but offers HTTP/1.1 alone', async () => {
  await using server = await identityServer();
  const host = `localhost:${server.port}`;
  for (const method of ['GET', 'POST'] as const) await fetchPage({ url: `https://${host}/`, method }, [host]);
  const [get, post] = server.sightings.map(({ hello }) => portraitOf(hello));
  expect(get).toMatchObject({ alpn: ['h2', 'http/1.1'] });
  const same = { ...get, alpn: ['http/1.1'], alps: [], ja4: post?.ja4, extensions: post?.extensions };
  expect(post).toEqual(same);
  const ALPS = 17_613;
  expect(post?.extensions).toEqual(get?.extensions.filter((id) => id !== ALPS));
});
