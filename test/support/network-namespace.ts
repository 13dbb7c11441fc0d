import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PRIVATE, PUBLIC, PUBLIC_IPV6 } from '../egress/namespace/network.ts';

const run = promisify(execFile);

/** A way out that leads nowhere: WebRTC sends nothing where there is loopback alone. */
const WAY_OUT = [
  'ip link add inner type veth peer name outer',
  'ip link set inner up',
  'ip link set outer up',
  'ip addr add 192.168.77.2/24 dev inner',
  'ip route add default dev inner',
];

/** Runs a command in a network of its own, whose loopback has public and private addresses on it. */
export function inNamespace(command: readonly string[], more: readonly string[] = []) {
  const all = new Set([PUBLIC, PUBLIC_IPV6, ...PRIVATE, ...more]);
  const addresses = [...all].map((address) => `ip addr add ${address} dev lo`);
  const script = ['ip link set lo up', ...WAY_OUT, ...addresses, 'exec "$@"'].join(' && ');
  const env = {
    PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
    // The test authority is the one that the client trusts in there.
    SSL_CERT_FILE: join(import.meta.dirname, '../fixtures/tls/ca.pem'),
  };
  return run('unshare', ['--map-root-user', '--net', 'sh', '-c', script, 'sh', ...command], { env });
}

/** Root on Linux may make one, and whoever is given user namespaces. */
export function canMakeNamespace(): Promise<boolean> {
  return inNamespace(['true']).then(
    () => true,
    () => false,
  );
}
