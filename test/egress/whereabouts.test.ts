import { expect, test } from 'vitest';
import { type Guard, openGuard } from '../../shared/egress/guard.ts';
import { staticFetch } from '../../shared/egress/fetch/static-fetch.ts';
import { withLocation } from '../../shared/domain/scrape/target/with-location.ts';
import { AppError, toAppError } from '../../shared/errors.ts';
import { dnsServer } from '../support/servers/dns-server.ts';
import { canary, rawServer, targetServer } from '../support/servers/target-server.ts';

const SHORT_MS = 1_500;

async function faultOf(guard: Guard, url: string, timeoutMs = SHORT_MS): Promise<AppError> {
  const fetching = staticFetch({ url }, guard, AbortSignal.timeout(timeoutMs));
  return fetching.then(
    () => Promise.reject(new Error('A page came.')),
    (error: unknown) => toAppError(error),
  );
}

test('a name server that does not respond is a timeout in dns', async () => {
  await using dns = await dnsServer(() => 'silence');
  await using guard = await openGuard({ allow: [], dnsServers: [dns.address] });
  expect(await faultOf(guard, 'http://slow.example.com/')).toMatchObject({
    code: 'timeout',
    fields: { phase: 'dns' },
  });
});

test('a server that never speaks is a timeout in tls or before its first byte', async () => {
  await using silent = await rawServer(() => undefined);
  for (const [scheme, phase] of [
    ['https', 'tls'],
    ['http', 'first_byte'],
  ]) {
    await using guard = await openGuard({ allow: [silent.host] });
    const fault = await faultOf(guard, `${scheme}://${silent.host}/`);
    expect(fault).toMatchObject({ code: 'timeout', fields: { phase } });
  }
});

test('a body that never ends is a timeout in body, after a redirect too', async () => {
  await using target = await targetServer(({ url }, response) => {
    if (url === '/') response.writeHead(302, { location: '/page' }).end();
    else response.write('beginning');
  });
  await using guard = await openGuard({ allow: [target.host] });
  const fault = await faultOf(guard, target.origin);
  expect(fault).toMatchObject({ code: 'timeout', fields: { phase: 'body' } });
});

test('a name with a private address is refused as private, and the address is not revealed', async () => {
  await using dns = await dnsServer(() => ['10.1.2.3']);
  await using guard = await openGuard({ allow: [], dnsServers: [dns.address] });
  const fault = await faultOf(guard, 'http://inside.example.com/');
  expect(fault).toMatchObject({ code: 'url_not_allowed', fields: { param: 'url', reason: 'private' } });
  expect(fault.message).toContain('"http://inside.example.com/"');
  expect(fault.message).not.toContain('10.1.2.3');
});

test.each([
  ['a private address', (secret: string) => secret, (secret: string) => `${secret}/`],
  ['another scheme', () => 'ftp://example.com/', () => 'ftp://example.com/'],
  ['a user', () => 'http://me:secret@example.com/', () => 'http://me:***@example.com/'],
])('a redirect to %s is refused with its URL', async (_, locationOf, quoted) => {
  await using secret = await canary();
  await using target = await targetServer((__, response) =>
    response.writeHead(302, { location: locationOf(secret.origin) }).end(),
  );
  await using guard = await openGuard({ allow: [target.host] });
  const fault = await faultOf(guard, target.origin, 5_000);
  expect(fault).toMatchObject({ code: 'url_not_allowed', fields: { param: 'url', reason: 'redirect' } });
  expect(fault.message).toContain(`The target redirects to "${quoted(secret.origin)}", which`);
});

test.each([
  ['http://example.com:3000/', 'port'],
  ['http://me@example.com/', 'userinfo'],
  ['ftp://example.com/', 'scheme'],
  ['http://inside.example.com/', 'private'],
])('a refusal of %s that no redirect led to is for its %s', (url, reason) => {
  const place = { url, isRedirected: false, phase: 'dns' } as const;
  expect(withLocation(new AppError('url_not_allowed'), place)).toMatchObject({ fields: { reason } });
});
