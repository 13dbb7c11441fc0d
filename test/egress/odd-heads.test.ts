import { expect, test, vi } from 'vitest';
import { toAppError } from '../../shared/errors.ts';
import { openGuard } from '../../shared/egress/guard.ts';
import { staticFetch } from '../../shared/egress/fetch/static-fetch.ts';
import { REFUSED_HEADS, SHOWN_HEADS, UNUSABLE_STATUSES } from '../fixtures/odd-heads.ts';
import { rawServer } from '../support/servers/target-server.ts';

vi.stubEnv('NO_PROXY', '*');

/** In one piece, or byte by byte. */
async function outcome(response: Buffer, pieces: readonly Buffer[] = [response]) {
  await using target = await rawServer((socket) =>
    socket
      .on('error', () => undefined)
      .setNoDelay()
      .once('data', () => {
        for (const piece of pieces) socket.write(piece);
        socket.end();
      }),
  );
  await using guard = await openGuard({ allow: [target.host] });
  return await staticFetch({ url: target.origin }, guard, AbortSignal.timeout(10_000)).then(
    ({ status, body, contentType }) => [status, contentType, Buffer.from(body).toString()],
    (error: unknown) => toAppError(error).code,
  );
}
const HELLO = [200, 'text/html', expect.stringMatching(/^<!doctype html>.*<p>hello body<\/p>$/)];

test.each(Object.entries(SHOWN_HEADS))(
  'a plain page behind %s is delivered as browsers show it',
  async (_, response) => {
    expect(await outcome(response)).toEqual(HELLO);
    const bytes = Array.from({ length: response.length }, (__, at) => response.subarray(at, at + 1));
    expect(await outcome(response, bytes)).toEqual(HELLO);
  },
);

test.each(Object.entries({ ...REFUSED_HEADS, ...UNUSABLE_STATUSES }))(
  'a plain page behind %s is bad_upstream_response',
  async (_, response) => expect(await outcome(response)).toBe('bad_upstream_response'),
);
