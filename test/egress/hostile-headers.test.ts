import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { describe, expect, test, vi } from 'vitest';
import { toAppError } from '../../shared/errors.ts';
import { openGuard } from '../../shared/egress/guard.ts';
import { staticFetch } from '../../shared/egress/fetch/static-fetch.ts';
import { http2Server, rawServer, rawTlsServer, type Listening } from '../support/target-server.ts';

// The test authority is the one that the client trusts here.
vi.stubEnv('SSL_CERT_FILE', fileURLToPath(new URL('../fixtures/tls/ca.pem', import.meta.url)));

/** Far more than the headers that are taken, far less than what a flood brings. */
const BOUND_BYTES = 8_000_000;

/** `status text`, or the code of the fault, and the bytes that it took to see it. */
async function outcome({ host, origin }: Listening & { origin: string }, timeoutMs = 10_000) {
  await using guard = await openGuard({ allow: [host] });
  const result = await staticFetch({ url: origin }, guard, AbortSignal.timeout(timeoutMs)).then(
    ({ status, body }) => `${status} ${Buffer.from(body).toString()}`,
    (error: unknown) => toAppError(error).code,
  );
  return { result, bytes: guard.bytes() };
}

/** Writes `piece` for as long as it is read. */
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
] as const)('over %s', (_, open) => {
  const answering = (talk: (socket: Socket) => void) =>
    open((socket) => socket.on('error', () => undefined).once('data', () => talk(socket)));

  test.each([
    ['a line', `${OK}X: `, 'a'],
    ['a list of headers', OK, 'X: a\r\n'],
    ['a reason phrase', 'HTTP/1.1 200 ', 'a'],
    ['a list of trailers', `${CHUNKED}3\r\nabc\r\n0\r\n`, 'X: a\r\n'],
    ['a chunk extension', `${CHUNKED}3;x=`, 'a'],
  ])('%s without end is given up early', async (__, start, piece) => {
    await using target = await answering((socket) => {
      socket.write(start);
      pour(socket, piece.repeat(10_000));
    });
    const { result, bytes } = await outcome(target);
    expect(result).toBe('bad_upstream_response');
    expect(bytes).toBeLessThan(BOUND_BYTES);
  });

  test.each([
    ['a sound body', 'Content-Length: 3\r\n\r\nabc', /^(200 abc|bad_upstream_response)$/],
    ['a chunk that is none', 'Transfer-Encoding: chunked\r\n\r\nZZ\r\n', /^bad_upstream_response$/],
  ])('a reason that no header could hold, before %s, harms nobody', async (__, rest, expected) => {
    await using target = await answering((socket) => socket.end(`HTTP/1.1 200 \x01\x7f\r\n${rest}`));
    expect((await outcome(target, 3_000)).result).toMatch(expected);
  });

  test('interim answers without end are a timeout', async () => {
    await using target = await answering((socket) =>
      pour(socket, 'HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n'.repeat(1_000)),
    );
    expect((await outcome(target, 300)).result).toBe('timeout');
  });

  test.each([
    ['two lengths', 'Content-Length: 1\r\nContent-Length: 3', 'bad_upstream_response'],
    ['a length that is too long', 'Content-Length: 100', 'bad_upstream_response'],
    ['a length that is too short', 'Content-Length: 2', '200 ab'],
    ['a length below nothing', 'Content-Length: -3', 'bad_upstream_response'],
    ['a length beyond all numbers', 'Content-Length: 18446744073709551619', 'bad_upstream_response'],
    ['a bare carriage return', 'X: a\rContent-Length: 3', 'bad_upstream_response'],
    ['a bare line feed', 'X: a\nContent-Length: 3', '200 abc'],
    ['two types', 'Content-Type: text/plain\r\nContent-Type: text/html', '200 abc'],
    ['two addresses of a page', 'Location: /a\r\nLocation: /b', '200 abc'],
  ])('%s: %j gives %s', async (__, headers, expected) => {
    await using target = await answering((socket) => socket.end(page(headers)));
    expect((await outcome(target)).result).toBe(expected);
  });

  test('both a length and chunks: the chunks count', async () => {
    await using target = await answering((socket) =>
      socket.end(`${OK}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`),
    );
    expect((await outcome(target)).result).toBe('200 abc');
  });

  test.each([99, 101, 1_000])('%i headers are no flood', async (count) => {
    const headers = Array.from({ length: count }, (__, index) => `Set-Cookie: c${index}=1`).join('\r\n');
    await using target = await answering((socket) => socket.end(page(`${headers}\r\nContent-Length: 3`)));
    expect((await outcome(target)).result).toBe('200 abc');
  });

  test('two addresses to go to are no valid response', async () => {
    await using target = await answering((socket) =>
      socket.end(
        'HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: /a\r\nLocation: http://10.0.0.5/\r\n\r\n',
      ),
    );
    expect((await outcome(target)).result).toBe('bad_upstream_response');
  });
});

describe('over HTTP/2', () => {
  test.each([
    ['a hundred headers', '200 abc', 100, 'x'.repeat(100)],
    ['a flood of headers', 'bad_upstream_response', 20_000, 'x'.repeat(10)],
    ['a few huge headers', 'bad_upstream_response', 20, 'x'.repeat(60_000)],
  ])('%s give %s', async (_, expected, count, value) => {
    const headers = Object.fromEntries(Array.from({ length: count }, (__, index) => [`x-${index}`, value]));
    await using target = await http2Server((stream) => {
      stream.respond(headers);
      stream.end('abc');
    });
    const { result, bytes } = await outcome(target);
    expect(result).toBe(expected);
    expect(bytes).toBeLessThan(BOUND_BYTES);
  });

  test('a header that is named twenty thousand times and sent once is no valid response', async () => {
    await using target = await http2Server((stream) => {
      stream.respond({ 'x-bomb': Array<string>(20_000).fill('x'.repeat(3_000)) });
      stream.end('abc');
    });
    const { result, bytes } = await outcome(target);
    expect(result).toBe('bad_upstream_response');
    expect(bytes).toBeLessThan(100_000);
  });
});
