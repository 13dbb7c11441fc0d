import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { EXPECTED, PRIVATE, PUBLIC, PUBLIC_IPV6, type Report } from './namespace/network.ts';

const run = promisify(execFile);
const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** Runs a command where there is no network but a loopback of its own, with public and private addresses on it. */
function inNamespace(...command: string[]) {
  const addresses = [PUBLIC, PUBLIC_IPV6, ...PRIVATE].map((address) => `ip addr add ${address} dev lo`);
  const script = ['ip link set lo up', ...addresses, 'exec "$@"'].join(' && ');
  const env = {
    PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
    // The test authority is the one that the client trusts in there.
    SSL_CERT_FILE: path('../fixtures/tls/ca.pem'),
  };
  return run('unshare', ['--map-root-user', '--net', 'sh', '-c', script, 'sh', ...command], { env });
}

const isPossible = await inNamespace('true').then(
  () => true,
  () => false,
);
const title = isPossible ? 'in a network of its own' : 'skipped: no network namespace can be made here';

describe.skipIf(!isPossible)(title, () => {
  let report: Report;
  beforeAll(async () => {
    report = JSON.parse(
      (await inNamespace(process.execPath, path('namespace/scenario.ts'))).stdout,
    ) as Report;
  });

  test.each(Object.entries(EXPECTED))('%s gives %s', (url, outcome) =>
    expect(report.outcomes[url]).toBe(outcome),
  );

  test('nothing private was connected to', () => expect(report.hits).toBe(0));

  test('a name is resolved once for each connection', () => {
    const connections = Object.keys(EXPECTED).filter((url) => url.includes('//rebind.example.com')).length;
    expect(report.asked).toBe(2 * connections);
  });
});
