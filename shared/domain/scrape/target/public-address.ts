import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** IPv4 ranges that are not public unicast: https://www.iana.org/assignments/iana-ipv4-special-registry */
const SPECIAL_IPV4: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8], // this network, RFC 791 §3.2
  ['10.0.0.0', 8], // private, RFC 1918
  ['100.64.0.0', 10], // shared by carriers, RFC 6598
  ['127.0.0.0', 8], // loopback, RFC 1122 §3.2.1.3
  ['168.63.129.16', 32], // host agent: https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16
  ['169.254.0.0', 16], // link-local, RFC 3927; instance metadata
  ['172.16.0.0', 12], // private, RFC 1918
  ['192.0.0.0', 24], // protocol assignments, RFC 6890
  ['192.0.2.0', 24], // documentation, RFC 5737
  ['192.88.99.0', 24], // 6to4 relays, RFC 7526
  ['192.168.0.0', 16], // private, RFC 1918
  ['198.18.0.0', 15], // benchmarking, RFC 2544
  ['198.51.100.0', 24], // documentation, RFC 5737
  ['203.0.113.0', 24], // documentation, RFC 5737
  ['224.0.0.0', 4], // multicast, RFC 5771
  ['240.0.0.0', 4], // reserved and broadcast, RFC 1112 §4
];

/** Ranges of 2000::/3 that are not public unicast: https://www.iana.org/assignments/iana-ipv6-special-registry */
const SPECIAL_IPV6: readonly (readonly [network: string, prefix: number])[] = [
  ['2001::', 23], // protocol assignments, RFC 2928: Teredo (RFC 4380), benchmarking, ORCHID
  ['2001:db8::', 32], // documentation, RFC 3849
  ['2002::', 16], // 6to4, whatever IPv4 address it embeds, RFC 7526
  ['3fff::', 20], // documentation, RFC 9637
];

const specialIPv4 = blockList(SPECIAL_IPV4, 'ipv4');
const specialIPv6 = blockList(SPECIAL_IPV6, 'ipv6');
/** IANA's only block of global unicast, RFC 4291 §2.4. */
const globalUnicast = blockList([['2000::', 3]], 'ipv6');

const MAPPED = '0:0:0:0:0:ffff'; // RFC 4291 §2.5.5.2
const NAT64 = '64:ff9b:0:0:0:0'; // RFC 6052 §2.1; not 64:ff9b:1::/48, which is for local use: RFC 8215
const ISATAP = /^(200|0):5efe$/; // RFC 5214 §6.1: ::0:5efe:a.b.c.d and ::200:5efe:a.b.c.d

/** For addresses in the usual spelling. An IPv4 address inside an IPv6 one must be public too. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !specialIPv4.check(address, 'ipv4');
  if (!isIPv6(address) || address.includes('%')) return false;
  const groups = groupsOf(address);
  const head = groups.slice(0, 6).join(':');
  const embedded = ipv4Of(groups);
  if (head === MAPPED || head === NAT64) return isPublicAddress(embedded);
  if (ISATAP.test(groups.slice(4, 6).join(':')) && !isPublicAddress(embedded)) return false;
  return globalUnicast.check(address, 'ipv6') && !specialIPv6.check(address, 'ipv6');
}

function groupsOf(address: string): string[] {
  const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [left = '', right] = canonical.split('::');
  const before = left.split(':').filter(Boolean);
  const after = (right ?? '').split(':').filter(Boolean);
  return [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after];
}

function ipv4Of(groups: string[]): string {
  const bytes = groups.slice(6).flatMap((group) => [parseInt(group, 16) >> 8, parseInt(group, 16) & 0xff]);
  return bytes.join('.');
}

function blockList(ranges: readonly (readonly [string, number])[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of ranges) list.addSubnet(network, prefix, family);
  return list;
}
