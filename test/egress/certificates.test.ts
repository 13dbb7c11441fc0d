import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { toAppError } from '../../shared/errors.ts';
import { openGuard } from '../../shared/egress/guard.ts';
import { staticFetch } from '../../shared/egress/fetch/static-fetch.ts';
import { CERTIFICATES, tlsServerWith } from '../support/servers/target-server.ts';

const authority = new URL('../fixtures/tls/variants/authority.pem', import.meta.url);
vi.stubEnv('SSL_CERT_FILE', fileURLToPath(authority));

/** The body of a page, or the error code. */
async function outcome(url: string, host: string) {
  await using guard = await openGuard({ allow: [host] });
  return await staticFetch({ url }, guard, AbortSignal.timeout(10_000)).then(
    ({ body }) => Buffer.from(body).toString(),
    (error: unknown) => toAppError(error).code,
  );
}

test.each(CERTIFICATES)('a page is fetched if its certificate is sound: %s', async (name) => {
  let requests = 0;
  await using target = await tlsServerWith(name, (_, response) => {
    requests += 1;
    response.end('page');
  });
  const isSound = name === 'sound';
  expect(await outcome(target.origin, target.host)).toBe(isSound ? 'page' : 'tls_failed');
  expect(requests).toBe(isSound ? 1 : 0);
});

test('SNI names the host, and is not sent for an IP address', async () => {
  await using target = await tlsServerWith('sound', ({ socket }, response) =>
    response.end('servername' in socket ? String(socket.servername) : 'no TLS'),
  );
  const local = `localhost:${target.port}`;
  expect(await outcome(`https://${local}/`, local)).toBe('localhost');
  expect(await outcome(target.origin, target.host)).toBe('false');
});
