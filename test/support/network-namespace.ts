import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PRIVATE, PUBLIC, PUBLIC_IPV6 } from '../egress/namespace/network.ts';

const run = promisify(execFile);

/** A file by its path from this folder. */
export const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** Runs a command where there is no network but a loopback of its own, with public and private addresses on it. */
export function inNamespace(command: readonly string[], more: readonly string[] = []) {
  const all = new Set([PUBLIC, PUBLIC_IPV6, ...PRIVATE, ...more]);
  const addresses = [...all].map((address) => `ip addr add ${address} dev lo`);
  const script = ['ip link set lo up', ...addresses, 'exec "$@"'].join(' && ');
  const env = {
    PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
    // The test authority is the one that the client trusts in there.
    SSL_CERT_FILE: path('../fixtures/tls/ca.pem'),
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
