import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PRIVATE, PUBLIC, PUBLIC_IPV6 } from '../egress/namespace/network.ts';

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
    SSL_CERT_FILE: join(import.meta.dirname, '../fixtures/tls/ca.pem'),
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
