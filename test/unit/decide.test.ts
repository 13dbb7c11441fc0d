import { expect, test } from 'vitest';
import { decide, type EgressPolicy } from '../../shared/egress/decide.ts';
import { toAppError } from '../../shared/errors.ts';
import { dnsServer, type Answer } from '../support/servers/dns-server.ts';

const PUBLIC = '93.184.216.34';
const PUBLIC_IPV6 = '2606:2800:220:1::1';
const PORT = 443;

/** The addresses to dial, or the error code of the refusal. */
async function verdict(host: string, port = PORT, policy: Partial<EgressPolicy> = {}) {
  return decide(host, port, { allow: [], ...policy }).then(
    ({ addresses }) => addresses,
    (error: unknown) => toAppError(error).code,
  );
}

/** The verdict on a name that resolves to `answer`. */
async function resolved(answer: Answer, host = 'www.example.com') {
  await using dns = await dnsServer(() => answer);
  return await verdict(host, PORT, { dnsServers: [dns.address] });
}

test.each([
  '127.0.0.1',
  '127.1',
  '0x7f000001',
  '0X7F.1',
  '2130706433',
  '0177.0.0.1',
  '017700000001',
  '127.0.0.1.',
  '0',
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:ffff:7f00:1]',
  '[64:ff9b::7f00:1]',
  '[2002:7f00:1::]',
  '169.254.169.254',
  '0xa9fea9fe',
  '[fd00:ec2::254]',
  '10.0.0.1',
  '255.255.255.255',
])('the literal %s is refused', async (host) => expect(await verdict(host)).toBe('url_not_allowed'));

test.each([
  'localhost',
  'LOCALHOST.',
  'a.localhost',
  'printer',
  'printer.',
  'nas.local',
  'db.internal',
  'metadata.google.internal',
  'ip6.localdomain',
  'router.home.arpa',
  'abcdef.onion',
  'x.test',
  'x.invalid',
  'home.lan',
])('the name %s is refused without a DNS query', async (host) => {
  await using dns = await dnsServer(() => [PUBLIC]);
  expect(await verdict(host, PORT, { dnsServers: [dns.address] })).toBe('url_not_allowed');
  expect(dns.asked).toEqual([]);
});

test.each([
  '',
  ' ',
  '.',
  'a@127.0.0.1',
  '127.0.0.1/x',
  'example.com%00.evil.com',
  'ex%61mple.com',
  '①②⑦.0.0.1',
  'exämple.com',
  'a..example.com',
  '1.2.3.4.5',
  '256.0.0.1',
  '[::1%25lo]',
  '[::1',
  '::1',
  '[127.0.0.1]',
  'a'.repeat(64) + '.com',
])('"%s" is not a valid host and is refused', async (host) =>
  expect(await verdict(host)).toBe('url_not_allowed'),
);

test.each([80, 443, 8080, 8443])('port %i is open', async (port) => {
  expect(await verdict(PUBLIC, port)).toEqual([PUBLIC]);
});

test.each([0, 21, 22, 25, 81, 3306, 6379, 9001, 65535])('port %i is closed', async (port) => {
  expect(await verdict(PUBLIC, port)).toBe('url_not_allowed');
});

test('a name resolves to its IPv4 and IPv6 addresses', async () => {
  expect(await resolved([PUBLIC, PUBLIC_IPV6])).toEqual([PUBLIC, PUBLIC_IPV6]);
});

test('a name with AAAA records only is allowed', async () => {
  expect(await resolved([PUBLIC_IPV6])).toEqual([PUBLIC_IPV6]);
});

test.each([
  [['127.0.0.1']],
  [[PUBLIC, '127.0.0.1']],
  [['10.0.0.1', PUBLIC]],
  [[PUBLIC, '::1']],
  [[PUBLIC_IPV6, 'fd00:ec2::254']],
  [['::ffff:7f00:1']],
  [['cname:inside.example.com', '169.254.169.254']],
  [['cname:localhost', '127.0.0.1']],
])('a name that resolves to %j is refused', async (answer) => {
  expect(await resolved(answer)).toBe('url_not_allowed');
});

test('a public wildcard name for a private address is refused', async () => {
  expect(await resolved(['127.0.0.1'], '127.0.0.1.nip.io.example.com')).toBe('url_not_allowed');
});

test('an alias of a public name is allowed', async () => {
  expect(await resolved(['cname:edge.example.net', PUBLIC])).toEqual([PUBLIC]);
});

test('a trailing dot in a name is ignored', async () => {
  expect(await resolved([PUBLIC], 'www.example.com.')).toEqual([PUBLIC]);
});

test.each([[[]], ['servfail' as const]])('a name without an address (%j) is dns_failed', async (answer) => {
  expect(await resolved(answer)).toBe('dns_failed');
});

test('a name is resolved once, so a rebound address is never dialled', async () => {
  await using dns = await dnsServer((_, asked) => (asked.length < 2 ? [PUBLIC] : ['127.0.0.1']));
  expect(await verdict('rebind.example.com', PORT, { dnsServers: [dns.address] })).toEqual([PUBLIC]);
  expect(dns.asked.map(({ type }) => type).toSorted()).toEqual(['A', 'AAAA']);
});

test('an unresponsive name server is abandoned when the signal aborts', async () => {
  await using dns = await dnsServer(() => 'silence');
  const policy = { allow: [], dnsServers: [dns.address] };
  const startedAt = performance.now();
  await expect(decide('www.example.com', PORT, policy, AbortSignal.timeout(50))).rejects.toThrow(
    expect.objectContaining({ code: 'dns_failed' }),
  );
  expect(performance.now() - startedAt).toBeLessThan(4_000);
});

test('a private target on the allow list is dialled, at its port only', async () => {
  const allow = ['127.0.0.1:3000', 'localhost:3000', '[::1]:3000'];
  expect(await verdict('127.0.0.1', 3000, { allow })).toEqual(['127.0.0.1']);
  expect(await verdict('127.1', 3000, { allow })).toEqual(['127.0.0.1']);
  expect(await verdict('[::1]', 3000, { allow })).toEqual(['::1']);
  expect(await verdict('LocalHost', 3000, { allow })).toContain('127.0.0.1');
  expect(await verdict('127.0.0.1', 80, { allow })).toBe('url_not_allowed');
  expect(await verdict('127.0.0.2', 3000, { allow })).toBe('url_not_allowed');
  expect(await verdict('a@127.0.0.1', 3000, { allow })).toBe('url_not_allowed');
});

test('a public host on the refuse list is refused', async () => {
  await using dns = await dnsServer(() => [PUBLIC]);
  const policy = { refuse: ['api.example.com'], dnsServers: [dns.address] };
  expect(await verdict('API.example.com.', PORT, policy)).toBe('url_not_allowed');
  expect(await verdict('www.example.com', PORT, policy)).toEqual([PUBLIC]);
});
