import { createHash, randomBytes } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import * as zlib from 'node:zlib';
import { expect, test, vi } from 'vitest';
import { AppError, toAppError } from '../../shared/errors.ts';
import { askLocations } from '../../shared/egress/fetch/ask-location.ts';
import { decodeBody } from '../../shared/egress/decode/decode-body.ts';
import { type Guard, openGuard } from '../../shared/egress/guard.ts';
import { staticFetch, type StaticRequest } from '../../shared/egress/fetch/static-fetch.ts';
import { BROKEN, CUT, WHOLE } from '../fixtures/coded-bodies.ts';
import { dnsServer } from '../support/servers/dns-server.ts';
import { expectNotToWait, passed } from '../support/world/past-its-deadline.ts';
import {
  canary,
  rawServer,
  rawTlsServer,
  saying,
  targetServer,
  tlsServer,
} from '../support/servers/target-server.ts';

// NO_PROXY must not bypass the guard.
vi.stubEnv('NO_PROXY', '*');

const MB = 1_000_000;
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();

/** Fetches through a new guard that allows `hosts`. */
async function fetchPage(request: StaticRequest, hosts: string[], timeoutMs = 10_000) {
  await using guard = await openGuard({ allow: hosts });
  return await staticFetch(request, guard, AbortSignal.timeout(timeoutMs));
}

/** The error code of a fetch. */
async function faultOf(request: StaticRequest, hosts: string[], timeoutMs?: number) {
  return await fetchPage(request, hosts, timeoutMs).then(
    ({ status }) => status,
    (error: unknown) => toAppError(error).code,
  );
}

/** The page of a server with this handler, or the error code. */
async function page(handler: RequestListener) {
  await using target = await targetServer(handler);
  return await fetchPage({ url: target.origin }, [target.host]);
}
async function fault(handler: RequestListener, timeoutMs?: number) {
  await using target = await targetServer(handler);
  return await faultOf({ url: target.origin }, [target.host], timeoutMs);
}

test("bytes are returned unchanged, with the target's Content-Type", async () => {
  const bytes = randomBytes(5 * MB);
  const got = await page((_, response) => response.setHeader('content-type', 'image/PNG; x="y"').end(bytes));
  expect(sha256(got.body)).toBe(sha256(bytes));
  expect(got).toMatchObject({ status: 200, redirects: 0, contentType: 'image/PNG; x="y"' });
});

test('a header that is repeated is a list of its values', async () => {
  const links = ['</a>; rel=preload, </b>; rel=preload', '</c>; rel=next'];
  const { headers } = (await page((_, response) =>
    response.writeHead(200, { Link: links, 'Set-Cookie': ['a=1', 'b=2'], 'X-One': 'a, b' }).end('x'),
  )) as { headers: object };
  expect(headers).toMatchObject({ link: links, 'set-cookie': ['a=1', 'b=2'], 'x-one': 'a, b' });
});

test('a missing Content-Type stays missing', async () => {
  expect(await page((_, response) => response.end('x'))).not.toHaveProperty('contentType');
});

test.each([403, 404, 407, 500, 502, 503, 504, 590, 599])(
  'the page of a target that responds with %i is returned',
  async (status) => {
    const got = await page((_, response) => response.writeHead(status).end('my own page'));
    expect([got.status, text(got.body)]).toEqual([status, 'my own page']);
  },
);

const pageText = 'hello, page '.repeat(10_000);
const ENCODED = {
  gzip: zlib.gzipSync(pageText),
  br: zlib.brotliCompressSync(pageText),
  zstd: zlib.zstdCompressSync(pageText),
  deflate: zlib.deflateSync(pageText),
  'x-gzip': zlib.gzipSync(pageText),
  GZIP: zlib.gzipSync(pageText),
  'gzip, br': zlib.brotliCompressSync(zlib.gzipSync(pageText)),
  'deflate, identity': zlib.deflateSync(pageText),
  'identity, zstd , gzip': zlib.gzipSync(zlib.zstdCompressSync(pageText)),
  'deflate ': zlib.deflateRawSync(pageText),
  identity: Buffer.from(pageText),
  'made-up': Buffer.from(pageText),
};

test.each(Object.entries(ENCODED))('content encoded with "%s" is decoded', async (encoding, bytes) => {
  const got = await page((_, response) => response.setHeader('content-encoding', encoding).end(bytes));
  expect(text(got.body)).toBe(pageText);
});

const half = [pageText.slice(0, 50_000), pageText.slice(50_000)] as const;
// With an extra field of four bytes, a name, a comment and a header checksum.
const head = Buffer.from('\x1f\x8b\x08\x1e\0\0\0\0\0\x03\x04\0\x01\x02\x03\x04name\0comment\0', 'latin1');
const checksum = Buffer.from([zlib.crc32(head) & 0xff, (zlib.crc32(head) >> 8) & 0xff]);
const named = Buffer.concat([head, checksum, zlib.gzipSync(half[0]).subarray(10)]);

test.each([
  ['gzip of two members', 'gzip', Buffer.concat(half.map((part) => zlib.gzipSync(part)))],
  ['zstd of two frames', 'zstd', Buffer.concat(half.map((part) => zlib.zstdCompressSync(part)))],
  ['gzip with a trailing line', 'gzip', Buffer.concat([zlib.gzipSync(pageText), Buffer.from('\r\n')])],
  ['gzip with trailing zeros', 'gzip', Buffer.concat([zlib.gzipSync(pageText), Buffer.alloc(9)])],
  [
    'gzip of two members, the first with all optional fields, and a trailing line',
    'gzip',
    Buffer.concat([named, zlib.gzipSync(half[1]), Buffer.from('\n')]),
  ],
])('%s is decoded completely', async (_, encoding, bytes) => {
  const got = await page((__, response) => response.setHeader('content-encoding', encoding).end(bytes));
  expect(text(got.body)).toBe(pageText);
});

test.each([...Object.entries(WHOLE), ...Object.entries(CUT)])(
  '%s is delivered, with a sign if it is cut off',
  async (title, { encoding, bytes }) => {
    const got = await page((_, response) => response.setHeader('content-encoding', encoding).end(bytes));
    expect(got.contentTruncated).toBe(title in CUT ? true : undefined);
    expect(text(got.body).includes('<p>begin ')).toBe(true);
    expect(text(got.body).includes('<p>end</p>')).toBe(!/^half of|^most of|block/.test(title));
  },
);

test.each(Object.entries(BROKEN))(
  '%s shows nothing, so it is bad_upstream_response',
  async (_, { encoding, bytes }) => {
    expect(await fault((__, response) => response.setHeader('content-encoding', encoding).end(bytes))).toBe(
      'bad_upstream_response',
    );
  },
);

const emptyFrames = (count: number) => Array<Buffer>(count).fill(zlib.zstdCompressSync(''));

test.each([
  ['gzip', [...Array<Buffer>(5_000).fill(zlib.gzipSync('')), Buffer.from('junk')]],
  ['zstd', emptyFrames(5_000)],
])('%s of thousands of empty parts is bad_upstream_response', async (encoding, parts) => {
  const bytes = Buffer.concat(parts);
  expect(await fault((_, response) => response.setHeader('content-encoding', encoding).end(bytes))).toBe(
    'bad_upstream_response',
  );
});

test('a page does not wait longer than its deadline while another one is decoded', async () => {
  const frames = Buffer.concat(emptyFrames(1_000));
  const other = decodeBody(frames, ['zstd'], MB, new AbortController().signal);
  await expectNotToWait(decodeBody(zlib.gzipSync('late'), ['gzip'], MB, passed), other);
});

test('content with a flipped bit is bad_upstream_response', async () => {
  const corrupt = Buffer.from(ENCODED.gzip);
  corrupt[40] = (corrupt[40] ?? 0) ^ 0xff;
  expect(await fault((_, response) => response.setHeader('content-encoding', 'gzip').end(corrupt))).toBe(
    'bad_upstream_response',
  );
});

test('an empty encoded body is an empty page', async () => {
  expect(
    (await page((_, response) => response.setHeader('content-encoding', 'gzip').end())).body.length,
  ).toBe(0);
});

const zeros = Buffer.alloc(60 * MB);
const fast = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } };
const gzipped = zlib.gzipSync(zeros, { level: 1 });
const BOMBS = {
  gzip: gzipped,
  br: zlib.brotliCompressSync(zeros, fast),
  zstd: zlib.zstdCompressSync(zeros),
  'gzip, br': zlib.brotliCompressSync(gzipped, fast),
  deflate: zlib.deflateSync(zeros, { level: 1 }),
  'deflate ': zlib.deflateRawSync(zeros, { level: 1 }),
  'gzip, gzip, gzip': zlib.gzipSync(zlib.gzipSync(gzipped)),
};

const part = zlib.gzipSync(zeros.subarray(0, 6 * MB), { level: 1 });
const frame = zlib.zstdCompressSync(zeros.subarray(0, 6 * MB));

test.each([
  ['gzip', Array<Buffer>(9).fill(part)],
  ['gzip', [...Array<Buffer>(9).fill(part), Buffer.from('junk')]],
  ['zstd', Array<Buffer>(9).fill(frame)],
])('a bomb of many parts under "%s" is response_too_large', async (encoding, parts) => {
  const bytes = Buffer.concat(parts);
  expect(await fault((_, response) => response.setHeader('content-encoding', encoding).end(bytes))).toBe(
    'response_too_large',
  );
});

test.each(Object.entries(BOMBS))('a bomb under "%s" is response_too_large', async (encoding, bytes) => {
  expect(await fault((_, response) => response.setHeader('content-encoding', encoding).end(bytes))).toBe(
    'response_too_large',
  );
});

test('a page over 50 MB is response_too_large, a page of 50 MB is not', async () => {
  expect(await fault((_, response) => response.end(zeros.subarray(0, 50 * MB + 1)))).toBe(
    'response_too_large',
  );
  expect((await page((_, response) => response.end(zeros.subarray(0, 50 * MB)))).body.length).toBe(50 * MB);
});

test.each([
  ['a response that is not HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
  ['an empty response', ''],
  ['a response with incomplete headers', 'HTTP/1.1 200 OK\r\nContent-Le'],
  ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 3\r\n\r\nabc'],
  ['a length above the body', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc'],
  ['chunks cut off', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab'],
  ['a status below 100', 'HTTP/1.1 099 No\r\nContent-Length: 1\r\n\r\na'],
  ['a switch of protocols', 'HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nabc'],
  [
    'a flood of headers',
    `HTTP/1.1 200 OK\r\n${'X-Flood: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n'.repeat(10_000)}\r\n`,
  ],
  ['an endless header', `HTTP/1.1 200 OK\r\nX: ${'a'.repeat(500_000)}\r\n\r\n`],
])('%s is bad_upstream_response', async (_, response) => {
  await using target = await saying(response);
  expect(await faultOf({ url: target.origin }, [target.host])).toBe('bad_upstream_response');
});

test.each([
  ['a bare line feed', 'HTTP/1.1 200 OK\nContent-Length: 3\n\nabc'],
  ['a length below the body', 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcdef'],
  [
    'an interim response before it',
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc',
  ],
  ['an end with the connection', 'HTTP/1.0 200 OK\r\n\r\nabc'],
])('a response with %s is accepted', async (_, response) => {
  await using target = await saying(response);
  expect(text((await fetchPage({ url: target.origin }, [target.host])).body)).toBe('abc');
});

/** Fetches through a proxy that passes on everything, even resets. */
async function throughBareProxy(answer: (socket: Socket) => void) {
  await using proxy = await rawServer((socket) => socket.once('data', () => answer(socket)));
  const guard = { url: proxy.origin, faultOf: () => undefined } as unknown as Guard;
  return await staticFetch({ url: 'http://example.com/' }, guard, AbortSignal.timeout(10_000)).then(
    ({ status, body }) => `${status} ${text(body)}`,
    (error: unknown) => toAppError(error).code,
  );
}

test.each([
  ['without a length', 'HTTP/1.1 200 OK\r\n\r\n<p>half'],
  ['in chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7\r\n<p>half\r\n'],
  ['under an encoding', 'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n<p>half'],
])('a reset in the middle of a body %s is bad_upstream_response', async (_, half) => {
  const outcome = await throughBareProxy((socket) => {
    // Late enough for the client to have started reading.
    socket.write(half, () => setTimeout(() => socket.resetAndDestroy(), 50));
  });
  expect(outcome).toBe('bad_upstream_response');
});

test('a 407 of the target is a page', async () => {
  const answer = 'HTTP/1.1 407 Sign In\r\nContent-Length: 7\r\n\r\nsign in';
  expect(await throughBareProxy((socket) => socket.end(answer))).toBe('407 sign in');
});

test.each(['http', 'https'])('the question for a redirect over %s goes through the guard', async (scheme) => {
  await using secret = await canary();
  await using guard = await openGuard({ allow: [] });
  const url = new URL(`${scheme}://${secret.host}/`);
  await expect(askLocations(url, [], guard.url, AbortSignal.timeout(5_000))).rejects.toThrow();
  expect(secret.connections()).toBe(0);
});

test('the question for a redirect reads each Location over TLS', async () => {
  await using target = await rawTlsServer((socket) =>
    socket
      .on('error', () => undefined)
      .once('data', () =>
        socket.end('HTTP/1.1 302 Found\r\nLocation: /a\r\nLocation: /caf\xe9\r\n\r\n', 'latin1'),
      ),
  );
  await using guard = await openGuard({ allow: [target.host] });
  const before = getCACertificates();
  setDefaultCACertificates([readFileSync(new URL('../fixtures/tls/ca.pem', import.meta.url), 'utf8')]);
  const url = new URL(target.origin);
  const asked = await askLocations(url, [], guard.url, AbortSignal.timeout(5_000));
  setDefaultCACertificates(before);
  expect(asked).toEqual(['/a', '/caf\xe9']);
  // None past the guard.
  expect(target.connections()).toBe(1);
});

test('a question for a redirect that the target resets is an error', async () => {
  await using target = await rawServer(
    (socket) => void socket.on('error', () => undefined).resetAndDestroy(),
  );
  await using guard = await openGuard({ allow: [target.host] });
  const url = new URL(`https://${target.host}/`);
  await expect(askLocations(url, [], guard.url, AbortSignal.timeout(5_000))).rejects.toThrow();
  expect(target.connections()).toBe(1);
});

test.each([
  ['two addresses', 'Location: /a\r\nLocation: /b', 'bad_upstream_response'],
  ['the same address twice', 'Location: /end\r\nLocation: /end', '200 /end'],
  ['an address with a comma', 'Location: /a, /end', '200 /a,%20/end'],
  ['an address in Latin-1', 'Location: /caf\xe9', '200 /caf%E9'],
  ['an address in UTF-8', 'Location: /caf\xc3\xa9', '200 /caf%C3%A9'],
  ['no address', 'X: y', '302 '],
])('a redirect response with %s', async (_, location, outcome) => {
  await using target = await rawServer((socket) =>
    socket
      .on('error', () => undefined)
      .on('data', (bytes: Buffer) => {
        const [, path = ''] = bytes.toString().split(' ');
        if (path === '/')
          socket.end(`HTTP/1.1 302 Found\r\n${location}\r\nContent-Length: 0\r\n\r\n`, 'latin1');
        else socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${path.length}\r\n\r\n${path}`);
      }),
  );
  const got = await fetchPage({ url: target.origin }, [target.host]).then(
    ({ status, body }) => `${status} ${text(body)}`,
    (error: unknown) => toAppError(error).code,
  );
  expect(got).toBe(outcome);
});

test('a redirect without an address and without an end ends at the deadline', async () => {
  await using target = await rawServer((socket) =>
    socket.once('data', () => {
      // The question for its address is not answered.
      if (target.connections() === 1)
        socket.write('HTTP/1.1 302 Found\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n');
    }),
  );
  expect(await faultOf({ url: target.origin }, [target.host], 1_000)).toBe('timeout');
  expect(target.connections()).toBe(2);
});

test('redirects are followed and counted', async () => {
  const got = await page(({ url }, response) => {
    if (url === '/') response.writeHead(302, { location: '/two?a=b#c' }).end();
    else if (url === '/two?a=b')
      response.writeHead(307, { location: Buffer.from('caf\u00e9 bar').toString('latin1') }).end();
    else response.end(url);
  });
  expect(got).toMatchObject({ status: 200, redirects: 2 });
  expect(new URL(got.url).pathname).toBe('/caf%C3%A9%20bar');
});

test('a redirect with an endless body is followed', async () => {
  const got = await page(({ url }, response) => {
    if (url === '/') response.writeHead(302, { location: '/end' }).write('x'.repeat(100_000));
    else response.end('end');
  });
  expect(text(got.body)).toBe('end');
});

test('a redirect without a Location is returned as a page', async () => {
  expect((await page((_, response) => response.writeHead(302).end('here'))).status).toBe(302);
});

test.each([
  [10, 200],
  [11, 'too_many_redirects'],
])('%i redirects give %s', async (hops, outcome) => {
  const handler: RequestListener = ({ url = '/' }, response) => {
    const hop = Number(url.slice(1));
    if (hop < hops) response.writeHead(301, { location: `/${hop + 1}` });
    response.end();
  };
  expect(await fault(handler)).toBe(outcome);
});

test.each([
  'file:///etc/passwd',
  'ftp://example.com/',
  'data:text/html,x',
  'javascript:alert(1)',
  'gopher://127.0.0.1:70/',
  'http://10.0.0.1/',
  'http://169.254.169.254/latest/meta-data/',
  'https://localhost/',
  '//127.0.0.1:22/',
  'http://127.0.0.1!/',
  'https://a..b:8443/',
])('a redirect to %s is refused', async (location) => {
  expect(await fault((_, response) => response.writeHead(302, { location }).end())).toBe('url_not_allowed');
});

test('a redirect to a URL with a user is refused', async () => {
  const handler: RequestListener = ({ url, headers }, response) =>
    void (
      url === '/' ? response.writeHead(302, { location: `http://user@${headers.host}/in` }) : response
    ).end();
  expect(await fault(handler)).toBe('url_not_allowed');
});

test('a redirect to a private server does not reach it', async () => {
  await using secret = await canary();
  expect(await fault((_, response) => response.writeHead(302, { location: secret.origin }).end())).toBe(
    'url_not_allowed',
  );
  expect(secret.connections()).toBe(0);
});

test('a redirect to an invalid address is bad_upstream_response', async () => {
  expect(await fault((_, response) => response.writeHead(302, { location: 'http://[' }).end())).toBe(
    'bad_upstream_response',
  );
});

test('a dead port is connect_failed, plain and inside a tunnel', async () => {
  const gone = await canary();
  await gone[Symbol.asyncDispose]();
  const { host, port } = gone;
  expect(await faultOf({ url: `http://${host}/` }, [host])).toBe('connect_failed');
  expect(await faultOf({ url: `https://127.0.0.1:${port}/` }, [host])).toBe('connect_failed');
});

test.each(['http', 'https'])('a name that does not resolve is dns_failed over %s', async (scheme) => {
  await using dns = await dnsServer(() => []);
  await using guard = await openGuard({ allow: [], dnsServers: [dns.address] });
  const fetching = staticFetch(
    { url: `${scheme}://nobody.example.com/` },
    guard,
    AbortSignal.timeout(10_000),
  );
  await expect(fetching).rejects.toMatchObject({ code: 'dns_failed' });
});

test.each(['http', 'https'])('a private target over %s is refused and sees no packet', async (scheme) => {
  await using secret = await canary();
  expect(await faultOf({ url: `${scheme}://${secret.host}/` }, [])).toBe('url_not_allowed');
  expect(secret.connections()).toBe(0);
});

test('an untrusted certificate is tls_failed, and no request is sent', async () => {
  let requests = 0;
  await using target = await tlsServer(() => (requests += 1));
  expect(await faultOf({ url: target.origin }, [target.host])).toBe('tls_failed');
  expect(requests).toBe(0);
});

test.each([
  ['plain HTTP', () => targetServer((_, response) => response.end())],
  ['a hang-up', () => rawServer((socket) => socket.once('data', () => socket.destroy()))],
])('%s instead of TLS is tls_failed', async (_, open) => {
  await using target = await open();
  expect(await faultOf({ url: `https://${target.host}/` }, [target.host])).toBe('tls_failed');
});

test.each([
  ['never responds', () => undefined],
  ['stalls', (_, response) => void response.write('x')],
  [
    'drips',
    (_, response) => {
      const drip = setInterval(() => response.write('x'), 20);
      response.on('close', () => clearInterval(drip));
    },
  ],
] satisfies [string, RequestListener][])(
  'a target that %s is a timeout at the deadline',
  async (_, handler) => {
    const before = performance.now();
    expect(await fault(handler, 300)).toBe('timeout');
    expect(performance.now() - before).toBeLessThan(5_000);
  },
);

test('a TLS handshake that never ends is a timeout at the deadline', async () => {
  await using target = await rawServer(() => undefined);
  expect(await faultOf({ url: `https://${target.host}/` }, [target.host], 300)).toBe('timeout');
});

test('an AppError as the abort reason is passed on', async () => {
  await using target = await targetServer(() => undefined);
  await using guard = await openGuard({ allow: [target.host] });
  const signal = AbortSignal.abort(new AppError('busy'));
  await expect(staticFetch({ url: target.origin }, guard, signal)).rejects.toMatchObject({ code: 'busy' });
});

test('five nested encodings are decoded, six are refused', async () => {
  const wrapped = (stages: number) => {
    let bytes: Buffer = Buffer.from('page');
    for (let stage = 0; stage < stages; stage += 1) bytes = zlib.gzipSync(bytes);
    const encoding = Array<string>(stages).fill('gzip').join(', ');
    return fault((_, response) => response.setHeader('content-encoding', encoding).end(bytes));
  };
  expect([await wrapped(5), await wrapped(6)]).toEqual([200, 'bad_upstream_response']);
});

test.each(['constructor', '__proto__', 'toString'])('an encoding named %s is ignored', async (encoding) => {
  const { body } = await page((_, response) => response.setHeader('content-encoding', encoding).end('page'));
  expect(text(body)).toBe('page');
});

test('a redirect to a URL above the length limit is bad_upstream_response', async () => {
  const location = `/${'x'.repeat(8_192)}`;
  expect(await fault((_, response) => response.writeHead(302, { location }).end())).toBe(
    'bad_upstream_response',
  );
});

test('a redirect that robots.txt disallows is not followed', async () => {
  const visited: string[] = [];
  await using target = await targetServer(({ url = '' }, response) => {
    visited.push(url);
    const location = url === '/first' ? '/second' : '/third';
    response.writeHead(302, { location }).end();
  });
  const mayFollow = (url: string) => Promise.resolve(!url.endsWith('/third'));
  const fetched = fetchPage({ url: `${target.origin}/first`, mayFollow }, [target.host]);
  await expect(fetched).rejects.toMatchObject({
    code: 'url_not_allowed',
    fields: { reason: 'robots', target_url: `${target.origin}/third` },
  });
  expect(visited).toEqual(['/first', '/second']);
});
