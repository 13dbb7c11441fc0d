import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { getServers } from 'node:dns';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canMakeNamespace, inNamespace } from '../support/servers/network-namespace.ts';
import { trustingChromium } from '../support/browser/trusting-chromium.ts';
import { extent } from '../support/world/extent.ts';
import { SECRET, type BrowserReport } from './namespace/browser-network.ts';

const isPossible = await canMakeNamespace();
const title = isPossible
  ? 'Chromium in its own network namespace'
  : 'skipped: no network namespace is available, so only loopback is tested';

describe.skipIf(!isPossible)(title, () => {
  let report: BrowserReport;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hostile-'));
    const planted = join(folder, 'planted.txt');
    await writeFile(planted, SECRET);
    await using chromium = await trustingChromium();
    const resolvers = getServers().filter(
      (address) => /^\d+(\.\d+){3}$/.test(address) && !address.startsWith('127.'),
    );
    const scenario = join(import.meta.dirname, 'namespace/browser-scenario.ts');
    const command = [
      process.execPath,
      scenario,
      chromium.folder,
      planted,
      extent('some', 'all'),
      ...resolvers,
    ];
    const { stdout } = await inNamespace(command, resolvers);
    report = JSON.parse(stdout) as BrowserReport;
  }, 300_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('the pages reach a public server in every way', () => expect(report.unreached).toEqual([]));

  test('every page finished, over http and https, and tried every private server', () =>
    expect(Object.values(report.pages)).toEqual(Array(6).fill({ isWhole: true, untried: [] })));

  test('no private address received a connection', () => expect(report.tcp).toEqual([]));

  test('no private address received a datagram', () => expect(report.udp).toEqual([]));

  test('the browser sent no datagram to any address, and joined no group', () =>
    expect(report.sent).toEqual({ datagrams: 0, multicast: 0 }));

  test('the browser sent no DNS query', () => expect(report.dns).toBe(0));

  test('no byte of a local file or of a private server leaked', () => expect(report.isLeaked).toBe(false));

  test('a page that navigates to a private target is url_not_allowed', () => {
    const moved = Object.entries(report.outcomes).filter(([url]) => /\/\w+\?http/.test(url));
    expect(moved.length).toBe(extent(6, 16));
    expect(new Set(moved.map(([, outcome]) => outcome))).toEqual(new Set(['url_not_allowed']));
  });
});
