import { createHash, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { getServers } from 'node:dns';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { unpackChromium } from '../../infra/constructs/unpack-chromium.ts';
import { canMakeNamespace, inNamespace, path } from '../support/network-namespace.ts';
import { SECRET, type BrowserReport } from './namespace/browser-network.ts';

const isPossible = await canMakeNamespace();
const title = isPossible
  ? 'Chromium in a network of its own'
  : 'skipped, loopback alone is tried: no network namespace can be made here';

/** Ways that a page of ours has and uses. What is missing here is switched off in the browser. */
const WORKING = ['beacon', 'css', 'embed', 'fetch', 'form', 'iframe', 'object', 'script', 'worker', 'xhr'];

describe.skipIf(!isPossible)(title, () => {
  let report: BrowserReport;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hostile-'));
    const planted = join(folder, 'planted.txt');
    await writeFile(planted, SECRET);
    const chromium = await trustingChromium(await unpackChromium(), join(folder));
    const resolvers = getServers().filter(
      (address) => /^\d+(\.\d+){3}$/.test(address) && !address.startsWith('127.'),
    );
    const scenario = path('../egress/namespace/browser-scenario.ts');
    const command = [process.execPath, scenario, chromium, planted, ...resolvers];
    report = JSON.parse((await inNamespace(command, resolvers)).stdout) as BrowserReport;
  }, 180_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('the pages work: by all these ways a public server is reached', () =>
    expect(report.reached).toEqual(expect.arrayContaining(WORKING)));

  test('every page ran to its end, over http and https', () =>
    expect(report.isWhole).toEqual(Array(6).fill(true)));

  test('no private address was connected to', () => expect(report.tcp).toEqual([]));

  test('no datagram was sent to one', () => expect(report.udp).toEqual([]));

  test('the browser asked no name server', () => expect(report.dns).toBe(0));

  test('no byte of a local file or of a private server came out', () => expect(report.isLeaked).toBe(false));

  test('a page that goes inside is url_not_allowed', () => {
    const moved = Object.entries(report.outcomes).filter(([url]) => /meta\?|script\?http|form\?/.test(url));
    expect(moved.length).toBe(12);
    expect(new Set(moved.map(([, outcome]) => outcome))).toEqual(new Set(['url_not_allowed']));
  });
});

/** The deployed Chromium with one more flag: it takes the certificate of the tests, and no other that is not valid. */
async function trustingChromium(chromium: string, folder: string): Promise<string> {
  const { publicKey } = new X509Certificate(readFileSync(path('../fixtures/tls/cert.pem')));
  const pin = createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64');
  for (const name of await readdir(chromium)) {
    if (name !== 'chromium') await symlink(join(chromium, name), join(folder, name));
  }
  const wrapper = join(folder, 'chromium');
  await writeFile(
    wrapper,
    `#!/bin/sh\nexec "${join(chromium, 'chromium')}" "--ignore-certificate-errors-spki-list=${pin}" "$@"\n`,
  );
  await chmod(wrapper, 0o755);
  return folder;
}
