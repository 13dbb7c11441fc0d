import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { getServers } from 'node:dns';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canMakeNamespace, inNamespace } from '../support/network-namespace.ts';
import { trustingChromium } from '../support/trusting-chromium.ts';
import { SECRET, type BrowserReport } from './namespace/browser-network.ts';

const isPossible = await canMakeNamespace();
const title = isPossible
  ? 'Chromium in a network of its own'
  : 'skipped, loopback alone is tried: no network namespace can be made here';

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
    const command = [process.execPath, scenario, chromium.folder, planted, ...resolvers];
    const { stdout } = await inNamespace(command, resolvers);
    report = JSON.parse(stdout) as BrowserReport;
  }, 300_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('the pages work: by all these ways a public server is reached', () =>
    expect(report.unreached).toEqual([]));

  test('every page ran to its end, over http and https, and asked the guard for each private server', () =>
    expect(Object.values(report.pages)).toEqual(Array(6).fill({ isWhole: true, untried: [] })));

  test('no private address was connected to', () => expect(report.tcp).toEqual([]));

  test('no datagram was sent to one', () => expect(report.udp).toEqual([]));

  test('the browser asked no name server', () => expect(report.dns).toBe(0));

  test('no byte of a local file or of a private server came out', () => expect(report.isLeaked).toBe(false));

  test('a page that goes inside is url_not_allowed', () => {
    const moved = Object.entries(report.outcomes).filter(([url]) => /\/\w+\?http/.test(url));
    expect(moved.length).toBe(16);
    expect(new Set(moved.map(([, outcome]) => outcome))).toEqual(new Set(['url_not_allowed']));
  });
});
