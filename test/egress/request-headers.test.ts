import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { getCACertificates, rootCertificates, setDefaultCACertificates } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Guard, openGuard } from '../../shared/egress/guard.ts';
import { staticFetch, type StaticRequest } from '../../shared/egress/fetch/static-fetch.ts';
import { http2Server, rawServer, targetServer, tlsServer } from '../support/servers/target-server.ts';

const CA = fileURLToPath(new URL('../fixtures/tls/ca.pem', import.meta.url));
vi.stubEnv('SSL_CERT_FILE', CA);

type Sent = [name: string, value: string][];

async function fetchText(request: StaticRequest, ...hosts: string[]): Promise<string> {
  await using guard = await openGuard({ allow: hosts });
  const { body } = await staticFetch(request, guard, AbortSignal.timeout(10_000));
  return Buffer.from(body).toString();
}

const echo: RequestListener = ({ rawHeaders }, response) => void response.end(JSON.stringify(rawHeaders));
const servers = {
  http: () => targetServer(echo),
  https: () => tlsServer(echo),
  'HTTP/2': () =>
    http2Server((stream, rawHeaders) => {
      stream.respond();
      stream.end(JSON.stringify(rawHeaders));
    }),
};

/** The headers that a server receives, in their order and case. */
async function sentOver(protocol: keyof typeof servers, request: Omit<StaticRequest, 'url'> = {}) {
  await using server = await servers[protocol]();
  const raw = JSON.parse(await fetchText({ url: server.origin, ...request }, server.host)) as string[];
  const sent = raw.flatMap((name, i): Sent => (i % 2 === 0 ? [[name, raw[i + 1] ?? '']] : []));
  return sent.filter(([name]) => !name.startsWith(':'));
}

const HINTS: Sent = [
  ['sec-ch-ua', '"Google Chrome";v="153", "Not_A Brand";v="8", "Chromium";v="153"'],
  ['sec-ch-ua-mobile', '?0'],
  ['sec-ch-ua-platform', '"Linux"'],
];
const BROWSER: Sent = [
  ['Upgrade-Insecure-Requests', '1'],
  [
    'User-Agent',
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/153.0.0.0 Safari/537.36',
  ],
  [
    'Accept',
    'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7',
  ],
];
const FETCH: Sent = [
  ['Sec-Fetch-Site', 'none'],
  ['Sec-Fetch-Mode', 'navigate'],
  ['Sec-Fetch-User', '?1'],
  ['Sec-Fetch-Dest', 'document'],
];
const LANGUAGE: Sent = [['Accept-Language', 'en-US,en;q=0.9']];
const IN_CLEAR: Sent = [['Accept-Encoding', 'gzip, deflate'], ...LANGUAGE];
const SECURE: Sent = [['Accept-Encoding', 'gzip, deflate, br, zstd'], ...LANGUAGE];
const PRIORITY: Sent = [['Priority', 'u=0, i']];
const HOST: Sent = [
  ['Host', expect.stringMatching(/^127\.0\.0\.1:\d+$/) as string],
  ['Connection', 'keep-alive'],
];
const inLowerCase = (sent: Sent): Sent => sent.map(([name, value]) => [name.toLowerCase(), value]);

test('the guard receives the headers of Chrome over http', async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  await using proxy = await rawServer((socket) =>
    socket.once('data', (bytes: Buffer) => {
      resolve(bytes.toString());
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
    }),
  );
  const guard = { url: proxy.origin, faultOf: () => undefined } as unknown as Guard;
  await staticFetch({ url: 'http://127.0.0.1:1234/' }, guard, AbortSignal.timeout(10_000));
  const [line, ...rest] = (await promise).trimEnd().split('\r\n');
  expect(line).toBe('GET http://127.0.0.1:1234/ HTTP/1.1');
  expect(rest.map((header) => header.split(/: (.*)/, 2))).toEqual([...HOST, ...BROWSER, ...IN_CLEAR]);
});

test.each([
  ['http', [...HOST, ...BROWSER, ...IN_CLEAR]],
  ['https', [...HOST, ...HINTS, ...BROWSER, ...FETCH, ...SECURE, ...PRIORITY]],
  ['HTTP/2', inLowerCase([...HINTS, ...BROWSER, ...FETCH, ...SECURE, ...PRIORITY])],
] as const)(
  'the target receives the headers of Chrome over %s, and none of a proxy',
  async (protocol, expected) => {
    expect(await sentOver(protocol)).toEqual(expected);
  },
);

test("the caller's headers follow Chrome's unchanged, before the cookies", async () => {
  const headers = { 'X-Token': 't', accept: 'text/x-own', 'x-other': 'o' };
  const names = (await sentOver('https', { headers, cookies: { a: '1' } })).map(([name]) => name);
  expect(names.slice(-5)).toEqual(['Accept-Language', 'X-Token', 'x-other', 'Cookie', 'Priority']);
  expect(names).not.toContain('accept');
});

test.each(['http', 'https', 'HTTP/2'] as const)(
  "the caller's headers replace Chrome's over %s",
  async (protocol) => {
    const all = await sentOver(protocol, {
      headers: { 'ACCEPT-language': 'de', Accept: 'text/x-own', 'X-Token': 't' },
      cookies: { a: '1', b: 'x=y' },
    });
    const sent = inLowerCase(all);
    const names = sent.map(([name]) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(Object.fromEntries(sent)).toMatchObject({
      'accept-language': 'de',
      accept: 'text/x-own',
      'x-token': 't',
      cookie: 'a=1; b=x=y',
      'user-agent': expect.stringContaining('Chrome/153') as string,
    });
  },
);

test.each(['http', 'https'] as const)(
  '40 KB of request and response headers are passed on over %s',
  async (protocol) => {
    const [large, start] = ['x'.repeat(40_000), protocol === 'http' ? targetServer : tlsServer];
    await using server = await start(({ headers }, response) => {
      response.setHeader('X-Large', large).end(String(headers['x-large']?.length));
    });
    expect(await fetchText({ url: server.origin, headers: { 'X-Large': large } }, server.host)).toBe('40000');
  },
);

test('a redirect to a non-ASCII address is followed over TLS', async () => {
  // Files share a process.
  onTestFinished(() => setDefaultCACertificates(getCACertificates('bundled')));
  setDefaultCACertificates([...rootCertificates, readFileSync(CA, 'utf8')]);
  await using server = await tlsServer(({ url = '' }, response) => {
    if (url === '/') response.writeHead(302, { location: '/caf\u00e9' });
    response.end(url);
  });
  expect(await fetchText({ url: `https://localhost:${server.port}/` }, `localhost:${server.port}`)).toBe(
    '/caf%E9',
  );
});

test("client hints do not contradict the caller's user agent", async () => {
  const sent = await sentOver('HTTP/2', { headers: { 'User-Agent': 'mine/1.0' } });
  expect(sent).toContainEqual(['user-agent', 'mine/1.0']);
  expect(sent.filter(([name]) => name.startsWith('sec-ch-ua'))).toEqual([]);
});

/** The requests of a fetch that is redirected between two hosts. */
async function toAndFro(request: Omit<StaticRequest, 'url'>) {
  const seen: [string, unknown, unknown][] = [];
  const move =
    (next: Record<string, () => string>): RequestListener =>
    ({ headers, url = '' }, response) => {
      seen.push([url, headers['x-token'], headers.cookie]);
      const location = next[url]?.();
      if (location !== undefined) response.writeHead(302, { location });
      response.end();
    };
  await using other = await targetServer(move({ '/other': () => `${first.origin}/back` }));
  const otherHost = `localhost:${other.port}`;
  await using first = await targetServer(
    move({ '/': () => '/same', '/same': () => `http://${otherHost}/other` }),
  );
  await fetchText({ url: `${first.origin}/`, ...request }, first.host, otherHost);
  return seen;
}

test("the caller's headers are sent to their origin only, and its cookies to their host only", async () => {
  expect(await toAndFro({ headers: { 'x-token': 't' }, cookies: { a: '1', '__Host-b': '2' } })).toEqual([
    ['/', 't', 'a=1; __Host-b=2'],
    ['/same', 't', 'a=1; __Host-b=2'],
    ['/other', undefined, undefined],
    ['/back', undefined, 'a=1; __Host-b=2'],
  ]);
});

test('a redirect to another port changes the origin, but not the host', async () => {
  await using other = await tlsServer(echo);
  await using first = await targetServer((_, response) =>
    response.writeHead(302, { location: `${other.origin}/` }).end(),
  );
  const request = { url: first.origin, headers: { 'x-token': 't' }, cookies: { a: '1' } };
  const sent = await fetchText(request, first.host, other.host);
  expect(sent).toContain('"Cookie","a=1"');
  expect(sent).not.toContain('x-token');
});

test('a site that sets a cookie and redirects to itself receives the cookie', async () => {
  await using target = await targetServer(({ headers }, response) => {
    if (headers.cookie === 'seen=1; other=2') return void response.end('welcome');
    response.setHeader('set-cookie', ['seen=1; Path=/', 'other=2', 'evil=3; Domain=com', '=;;;']);
    response.writeHead(302, { location: '/' }).end();
  });
  expect(await fetchText({ url: target.origin }, target.host)).toBe('welcome');
});

test("a site can replace and delete the caller's cookies", async () => {
  await using target = await targetServer(({ headers, url }, response) => {
    response.setHeader('set-cookie', ['a=new; Path=/', 'b=; Path=/; Max-Age=0']);
    if (url === '/') response.writeHead(302, { location: '/next' });
    response.end(headers.cookie);
  });
  const request = { url: target.origin, cookies: { a: 'old', b: 'old', c: 'kept' } };
  expect(await fetchText(request, target.host)).toBe('a=new; c=kept');
});

test('a site receives its SameSite, HttpOnly and domain cookies, but no cookies of another path', async () => {
  await using target = await targetServer(({ headers, url }, response) => {
    const cookies = ['a=1; SameSite=Strict; HttpOnly', 'b=2; Domain=127.0.0.1', 'c=3; Path=/other'];
    response.setHeader('set-cookie', cookies);
    if (url === '/') response.writeHead(302, { location: '/next' });
    response.end(headers.cookie);
  });
  expect(await fetchText({ url: target.origin }, target.host)).toBe('a=1; b=2');
});

test('cookies of one fetch are not sent by the next', async () => {
  await using target = await targetServer(({ headers, url }, response) => {
    response.setHeader('set-cookie', 'seen=1; Path=/');
    if (url === '/') response.writeHead(302, { location: '/next' });
    response.end(headers.cookie ?? 'none');
  });
  const ask = (path: string) => fetchText({ url: target.origin + path }, target.host);
  expect([await ask('/'), await ask('/next')]).toEqual(['seen=1', 'none']);
});

test('a cookie that one host sets is not sent to another', async () => {
  await using other = await targetServer(({ headers }, response) => response.end(headers.cookie ?? 'none'));
  await using target = await targetServer((_, response) => {
    response.setHeader('set-cookie', 'secret=1; Path=/; Domain=localhost');
    response.writeHead(302, { location: `http://localhost:${other.port}/` }).end();
  });
  const otherHost = `localhost:${other.port}`;
  expect(await fetchText({ url: target.origin }, target.host, otherHost)).toBe('none');
});
