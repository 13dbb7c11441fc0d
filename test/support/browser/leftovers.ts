import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pid } from 'node:process';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, expect, vi } from 'vitest';
import { descendantsOf, processes } from '../../../local/lambda/process-tree.ts';
import { chromeFetcher } from '../../../shared/adapters/web/chrome-fetcher.ts';
import { openWarmBrowsers, profiles } from './chromium.ts';
import { collectGarbage } from '../world/collect-garbage.ts';
import { renderSite } from '../servers/render-site.ts';
import { scrapeContext } from '../world/scrape-context.ts';
import { targetServer } from '../servers/target-server.ts';

type Counts = { warmUp: number; scrapes: number };

/** A folder for temporary files that no other Chromium on the machine writes to. */
export function ownTemporaryFolder(): void {
  beforeAll(async () => {
    vi.stubEnv('TMPDIR', await mkdtemp(join(tmpdir(), 'many-scrapes-')));
  });
  afterAll(async () => {
    await rm(tmpdir(), { recursive: true });
    vi.unstubAllEnvs();
  });
}

/** Expects plain scrapes to leave no file open. Returns how much memory they took, in bytes. */
export async function leftByPlainScrapes({ warmUp, scrapes }: Counts): Promise<number> {
  await using target = await targetServer((_, response) => response.end(Buffer.alloc(100_000, 'x')));
  const fetchPage = chromeFetcher({ allow: [target.host] }, () => Promise.resolve(undefined));
  const request = { renderJs: false, premiumProxy: false, timeout: 10_000 };
  const scrape = () => fetchPage({ url: target.origin, ...request }, scrapeContext());
  // The first scrapes allocate native arenas; only the growth of later ones counts.
  await times(warmUp, scrape);
  const [files, { rss }] = [await openFiles(), process.memoryUsage()];
  await times(scrapes, scrape);
  // Closed sockets may not be gone yet.
  await expect.poll(openFiles).toBeLessThanOrEqual(files + 2);
  return process.memoryUsage().rss - rss;
}

/** Expects rendered scrapes to leave no file, process or zombie. Returns the memory they took, in bytes. */
export async function leftByRenderedScrapes({ warmUp, scrapes }: Counts): Promise<number> {
  await using site = await renderSite({ '/': '<p>page<script>document.title = 1</script>' });
  await using browser = await openWarmBrowsers(site.host);
  const scrape = () => browser.render(`${site.origin}/`);
  await times(warmUp, scrape);
  const [files, before, { rss }] = [await openFiles(), await leftovers(), process.memoryUsage()];
  await times(scrapes, scrape);
  await expect.poll(openFiles).toBeLessThanOrEqual(files + 4);
  await expect.poll(leftovers).toEqual(before);
  const taken = process.memoryUsage().rss - rss;
  const names = await readdir(tmpdir());
  expect(names.filter((name) => /^(\.?org\.chromium|core\.|puppeteer)/.test(name))).toEqual([]);
  return taken;
}

export async function times(count: number, work: () => Promise<unknown>): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await work();
}

/** Open files and sockets of this process, except for native clients that await collection. */
async function openFiles(): Promise<number> {
  collectGarbage();
  // What a collection frees is released in later turns.
  await setImmediate();
  return (await readdir('/proc/self/fd')).length;
}

/** Leftovers of browsers: their processes, zombies included, and their names in /tmp. */
const leftovers = async () => ({
  processes: descendantsOf(pid, await processes()).length,
  profiles: (await profiles()).length,
});
