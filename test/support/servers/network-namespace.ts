import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PRIVATE, PUBLIC, PUBLIC_IPV6 } from '../../egress/namespace/network.ts';

const run = promisify(execFile);

/** An interface that leads nowhere, because WebRTC sends nothing on loopback alone. */
const OUTER_INTERFACE = [
  'ip link add inner type veth peer name outer',
  'ip link set inner up',
  'ip link set outer up',
  'ip addr add 192.168.77.2/24 dev inner',
  'ip route add default dev inner',
];

/** Runs a command in its own network namespace, whose loopback has public and private addresses. */
export function inNamespace(command: readonly string[], more: readonly string[] = []) {
  const all = new Set([PUBLIC, PUBLIC_IPV6, ...PRIVATE, ...more]);
  const addresses = [...all].map((address) => `ip addr add ${address} dev lo`);
  const script = ['ip link set lo up', ...OUTER_INTERFACE, ...addresses, 'exec "$@"'].join(' && ');
  const env = {
    PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
    // The client trusts the test authority there.
    SSL_CERT_FILE: join(import.meta.dirname, '../../fixtures/tls/ca.pem'),
  };
  return run('unshare', ['--map-root-user', '--net', 'sh', '-c', script, 'sh', ...command], { env });
}

/** On Linux, root can create one, and so can users where user namespaces are enabled. */
export function canMakeNamespace(): Promise<boolean> {
  return inNamespace(['true']).then(
    () => true,
    () => false,
  );
}

/** What all processes of the network have sent to any address: UDP, and IPv4 to groups, as IGMP is. */
export type SentPackets = { datagrams: number; multicast: number };

/** The kernel counts for all processes: https://docs.kernel.org/networking/snmp_counter.html */
export async function sentPackets(): Promise<SentPackets> {
  const [netstat = '', snmp = '', snmp6 = ''] = await Promise.all(
    ['netstat', 'snmp', 'snmp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8')),
  );
  const counter = (text: string, protocol: string, name: string) => {
    const [names = [], values = []] = text
      .split('\n')
      .filter((line) => line.startsWith(`${protocol}: `))
      .map((line) => line.split(' '));
    return Number(values[names.indexOf(name)]);
  };
  const overIpv6 = Number(/^Udp6OutDatagrams\s+(\d+)$/m.exec(snmp6)?.[1]);
  return {
    datagrams: counter(snmp, 'Udp', 'OutDatagrams') + overIpv6,
    multicast: counter(netstat, 'IpExt', 'OutMcastPkts'),
  };
}
