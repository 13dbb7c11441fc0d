import { expect, test } from 'vitest';
import { isPublicAddress } from '../../shared/domain/scrape/target/public-address.ts';

/** First and last address of every special range. */
const PRIVATE_IPV4 = [
  ['0.0.0.0', '0.255.255.255'],
  ['10.0.0.0', '10.255.255.255'],
  ['100.64.0.0', '100.127.255.255'],
  ['127.0.0.0', '127.255.255.255'],
  ['168.63.129.16', '168.63.129.16'],
  ['169.254.0.0', '169.254.255.255'],
  ['172.16.0.0', '172.31.255.255'],
  ['192.0.0.0', '192.0.0.255'],
  ['192.0.2.0', '192.0.2.255'],
  ['192.88.99.0', '192.88.99.255'],
  ['192.168.0.0', '192.168.255.255'],
  ['198.18.0.0', '198.19.255.255'],
  ['198.51.100.0', '198.51.100.255'],
  ['203.0.113.0', '203.0.113.255'],
  ['224.0.0.0', '239.255.255.255'],
  ['240.0.0.0', '255.255.255.255'],
].flat();

/** Addresses next to those ranges. */
const PUBLIC_IPV4 = [
  '1.0.0.0',
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '168.63.129.15',
  '168.63.129.17',
  '169.253.255.255',
  '169.255.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '191.255.255.255',
  '192.0.1.0',
  '192.0.3.0',
  '192.88.98.255',
  '192.88.100.0',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '198.51.99.255',
  '198.51.101.0',
  '203.0.112.255',
  '203.0.114.0',
  '223.255.255.255',
];

const PRIVATE_IPV6 = [
  '::',
  '::1',
  '::7f00:1',
  '::8.8.8.8',
  '1::1',
  '100::1',
  '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
  '2001::1',
  '2001:0:4136:e378:8000:63bf:3fff:fdd2',
  '2001:2::1',
  '2001:10::1',
  '2001:20::1',
  '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff',
  '2001:db8::1',
  '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff',
  '2002::1',
  '2002:7f00:1::',
  '2002:808:808::1',
  '3fff::1',
  '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff',
  '4000::1',
  '5f00::1',
  '64:ff9b:1::808:808',
  '64:ff9b:1:fffe::7f00:1',
  '64:ff9b::1:808:808',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fec0::1',
  'ff02::1',
  'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
];

const PUBLIC_IPV6 = [
  '2000::1',
  '2001:200::1',
  '2001:4860:4860::8888',
  '2001:db7:ffff::1',
  '2001:db9::1',
  '2003::1',
  '2606:4700:4700::1111',
  '2a00:1450:4001:81b::200e',
  '3ffe::1',
  '3fff:1000::1',
];

test.each(PRIVATE_IPV4)('the IPv4 address %s is not public, alone or inside an IPv6 address', (address) => {
  expect(spellings(address).filter(isPublicAddress)).toEqual([]);
});

test.each(PUBLIC_IPV4)('the IPv4 address %s is public, mapped to IPv6 and behind NAT64 too', (address) => {
  expect([address, `::ffff:${address}`, `64:ff9b::${address}`].every(isPublicAddress)).toBe(true);
});

test.each(PRIVATE_IPV6)('the IPv6 address %s is not public', (address) =>
  expect(isPublicAddress(address)).toBe(false),
);

test.each(PUBLIC_IPV6)('the IPv6 address %s is public', (address) =>
  expect(isPublicAddress(address)).toBe(true),
);

test.each([
  '',
  ' ',
  'example.com',
  '8.8.8',
  '8.8.8.8.',
  ' 8.8.8.8',
  '8.8.8.8/32',
  '08.8.8.8',
  '0x8080808',
  '134744072',
  '[2606:4700::1]',
  '2606:4700::1%eth0',
  '2606:4700::1::',
  '2606:4700::g',
])('"%s" is not an address, so it is not public', (text) => expect(isPublicAddress(text)).toBe(false));

/** An IPv4 address in every form that embeds it in IPv6. */
function spellings(ipv4: string): string[] {
  const [a = 0, b = 0, c = 0, d = 0] = ipv4.split('.').map(Number);
  const high = ((a << 8) | b).toString(16);
  const low = ((c << 8) | d).toString(16);
  const inverted = `${(((a << 8) | b) ^ 0xffff).toString(16)}:${(((c << 8) | d) ^ 0xffff).toString(16)}`;
  return [
    ipv4,
    `::ffff:${ipv4}`,
    `::FFFF:${high}:${low}`,
    `0:0:0:0:0:ffff:${high}:${low}`,
    `::${high}:${low}`,
    `64:ff9b::${ipv4}`,
    `64:ff9b:1::${high}:${low}`,
    `2002:${high}:${low}::1`,
    `2001:0:4136:e378:8000:63bf:${inverted}`,
    `2606:4700::5efe:${high}:${low}`,
    `2606:4700::200:5efe:${high}:${low}`,
    `fe80::5efe:${high}:${low}`,
  ];
}
