import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { describe, expect, test, vi } from 'vitest';
import { toAppError } from '../../shared/errors.ts';
import { openGuard } from '../../shared/egress/guard.ts';
import { staticFetch } from '../../shared/egress/fetch/static-fetch.ts';
import { http2Server, rawServer, rawTlsServer, type Listening } from '../support/servers/target-server.ts';

// The client trusts the test authority here.
vi.stubEnv('SSL_CERT_FILE', fileURLToPath(new URL('../fixtures/tls/ca.pem', import.meta.url)));

/** Far above the accepted headers, far below a flood. */
const BOUND_BYTES = 8_000_000;

/** `status text` or the error code, and the bytes received until then. */
async function outcome({ host, origin }: Listening & { origin: string }, timeoutMs = 10_000) {
  await using guard = await openGuard({ allow: [host] });
  const result = await staticFetch({ url: origin }, guard, AbortSignal.timeout(timeoutMs)).then(
    ({ status, body }) => `${status} ${Buffer.from(body).toString()}`,
    (error: unknown) => toAppError(error).code,
  );
  return { result, bytes: guard.bytes() };
}

/** Writes `piece` until the reader stops. */
function pour(socket: Socket, piece: string): void {
  const more = () => {
    while (socket.writable && socket.write(piece));
  };
  socket.on('drain', more);
  more();
}

const OK = 'HTTP/1.1 200 OK\r\n';
const page = (headers: string) => `${OK}${headers}\r\n\r\nabc`;
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`;

describe.each([
  ['http', rawServer],
  ['https', rawTlsServer],
] as const)('over %s', (scheme, open) => {
  const answering = (talk: (socket: Socket) => void) =>
    open((socket) => socket.on('error', () => undefined).once('data', () => talk(socket)));

  test.each([
    ['a line', `${OK}X: `, 'a'],
    ['a list of headers', OK, 'X: a\r\n'],
    ['a reason phrase', 'HTTP/1.1 200 ', 'a'],
    ['a list of trailers', `${CHUNKED}3\r\nabc\r\n0\r\n`, 'X: a\r\n'],
    ['a list of lines that are no trailers', `${CHUNKED}3\r\nabc\r\n0\r\n`, 'no trailer\r\n'],
    ['a chunk extension', `${CHUNKED}3;x=`, 'a'],
  ])('endless %s is abandoned early', async (__, start, piece) => {
    await using target = await answering((socket) => {
      socket.write(start);
      pour(socket, piece.repeat(10_000));
    });
    const { result, bytes } = await outcome(target);
    expect(result).toBe('bad_upstream_response');
    expect(bytes).toBeLessThan(BOUND_BYTES);
  });

  /** The guard reads heads that come without TLS, as Chromium would. */
  const withoutTls = (text: string) => (scheme === 'http' ? text : 'bad_upstream_response');

  test.each([
    ['a sound body', 'Content-Length: 3\r\n\r\nabc', withoutTls('200 abc')],
    ['an invalid chunk', 'Transfer-Encoding: chunked\r\n\r\nZZ\r\n', 'bad_upstream_response'],
  ])('an invalid reason phrase before %s is not passed on', async (__, rest, expected) => {
    await using target = await answering((socket) => socket.end(`HTTP/1.1 200 \x01\x7f\r\n${rest}`));
    expect((await outcome(target, 3_000)).result).toBe(expected);
  });

  test('endless interim responses are a timeout', async () => {
    await using target = await answering((socket) =>
      pour(socket, 'HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n'.repeat(1_000)),
    );
    expect((await outcome(target, 300)).result).toBe('timeout');
  });

  test.each([
    ['two lengths', 'Content-Length: 1\r\nContent-Length: 3', 'bad_upstream_response'],
    ['a length above the body', 'Content-Length: 100', 'bad_upstream_response'],
    ['a length below the body', 'Content-Length: 2', '200 ab'],
    ['a negative length', 'Content-Length: -3', withoutTls('200 abc')],
    ['a length beyond 64 bits', 'Content-Length: 18446744073709551619', withoutTls('200 abc')],
    ['a bare carriage return', 'X: a\rContent-Length: 3', withoutTls('200 abc')],
    ['a length twice', 'Content-Length: 3\r\nContent-Length: 3', '200 abc'],
    ['a line without a colon', 'BadHeaderLine\r\nContent-Length: 3', '200 abc'],
    ['a space before the colon', 'Content-Length : 3', '200 abc'],
    ['a folded header', 'X: a\r\n b\r\nContent-Length: 3', '200 abc'],
    ['the status line twice', `${OK}Content-Length: 3`, '200 abc'],
    ['a bare line feed', 'X: a\nContent-Length: 3', '200 abc'],
    ['two types', 'Content-Type: text/plain\r\nContent-Type: text/html', '200 abc'],
    ['two Location headers on a page', 'Location: /a\r\nLocation: /b', '200 abc'],
  ])('%s: %j gives %s', async (__, headers, expected) => {
    await using target = await answering((socket) => socket.end(page(headers)));
    expect((await outcome(target)).result).toBe(expected);
  });

  test('chunks take precedence over a length', async () => {
    await using target = await answering((socket) =>
      socket.end(`${OK}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`),
    );
    expect((await outcome(target)).result).toBe('200 abc');
  });

  test.each([99, 101, 1_000])('%i headers are accepted', async (count) => {
    const headers = Array.from({ length: count }, (__, index) => `Set-Cookie: c${index}=1`).join('\r\n');
    await using target = await answering((socket) => socket.end(page(`${headers}\r\nContent-Length: 3`)));
    expect((await outcome(target)).result).toBe('200 abc');
  });

  test('a Connection header that names 200,000 headers is passed over', async () => {
    const named = ','.repeat(200_000);
    await using target = await answering((socket) =>
      socket.end(page(`Connection: ${named}\r\nContent-Length: 3`)),
    );
    expect((await outcome(target)).result).toBe('200 abc');
  });

  test('a redirect with two Location headers is bad_upstream_response', async () => {
    await using target = await answering((socket) =>
      socket.end(
        'HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: /a\r\nLocation: http://10.0.0.5/\r\n\r\n',
      ),
    );
    expect((await outcome(target)).result).toBe('bad_upstream_response');
  });
});

test.each([
  ['a hundred headers', '200 abc', 100, 'x'.repeat(100)],
  ['a flood of headers', 'bad_upstream_response', 20_000, 'x'.repeat(10)],
  ['a few huge headers', 'bad_upstream_response', 20, 'x'.repeat(60_000)],
])('over HTTP/2: %s give %s', async (_, expected, count, value) => {
  const headers = Object.fromEntries(Array.from({ length: count }, (__, index) => [`x-${index}`, value]));
  await using target = await http2Server((stream) => {
    stream.respond(headers);
    stream.end('abc');
  });
  const { result, bytes } = await outcome(target);
  expect(result).toBe(expected);
  expect(bytes).toBeLessThan(BOUND_BYTES);
});

test('a header sent once and referenced twenty thousand times is bad_upstream_response', async () => {
  await using target = await http2Server((stream) => {
    stream.respond({ 'x-bomb': Array<string>(20_000).fill('x'.repeat(3_000)) });
    stream.end('abc');
  });
  const { result, bytes } = await outcome(target);
  expect(result).toBe('bad_upstream_response');
  expect(bytes).toBeLessThan(100_000);
});
