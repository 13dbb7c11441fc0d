import { mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { browserFunction, type BrowserFunction } from '../test/support/browser/browser-function.ts';
import { rounded } from './compare.ts';
import { startChild } from './child.ts';
import type { LocalService } from './contenders/service.ts';
import { getWhole } from './contender.ts';
import { median } from './measure.ts';
import { PAGES } from './pages/pages.ts';
import { signalTree } from '../test/support/stack/signal-tree.ts';
import { calm, environmentsOf, pssMb } from './processes.ts';

type Options = { taskRoot: string; chromiumDir: string; origin: string; rounds: number; without: number[] };

const UNPACK = new URL('../infra/constructs/unpack-chromium.ts', import.meta.url).href;

/**
 * Measures a browser environment from its start to its first page, with Chromium unpacked as deployed, and
 * inflated first. Run it while no other Chromium shares the file's memory.
 */
export async function coldBrowser({ taskRoot, chromiumDir, origin, rounds, without }: Options) {
  const allow = new URL(origin).host;
  const unpacked: number[] = [];
  const inflating: number[] = [];
  let mostMb = 0;
  for (let round = 0; round < rounds; round += 1) {
    await calm(without);
    {
      await using cold = await browserFunction({ taskRoot, chromiumDir, allow });
      unpacked.push(await firstPage(cold, origin));
      mostMb = Math.max(mostMb, await mostMemory(cold, origin));
    }
    await calm(without);
    await using folder = await mkdtempDisposable(join(tmpdir(), 'sitefetch-inflating-'));
    const inflated = join(folder.path, 'chromium');
    await using cold = await browserFunction({
      taskRoot: await inflatingFirst(folder.path, taskRoot, inflated),
      chromiumDir: inflated,
      allow,
    });
    inflating.push(await firstPage(cold, origin));
  }
  return {
    unpacked_ms: rounded(median(unpacked)),
    inflating_ms: rounded(median(inflating)),
    most_memory_mb: rounded(mostMb),
  };
}

async function firstPage({ render }: BrowserFunction, origin: string): Promise<number> {
  const startedAt = performance.now();
  await render(origin + PAGES.spa.path);
  return performance.now() - startedAt;
}

/** Peak memory while it renders one more page. */
async function mostMemory({ render, pids }: BrowserFunction, origin: string): Promise<number> {
  const [pid = 0] = pids();
  const over = new AbortController();
  const rendered = render(origin + PAGES.spa.path).finally(() => over.abort());
  let most = 0;
  while (!over.signal.aborted) {
    most = Math.max(most, await pssMb(pid));
    await setImmediate();
  }
  await rendered;
  return most;
}

/** A bundle that first inflates Chromium, as functions that carry it compressed do. */
async function inflatingFirst(folder: string, taskRoot: string, chromiumDir: string): Promise<string> {
  const into = join(folder, 'task');
  await mkdir(into);
  const source = `import { unpackInto } from ${JSON.stringify(UNPACK)};
    await unpackInto(${JSON.stringify(chromiumDir)});
    export const { handler } = await import(${JSON.stringify(join(taskRoot, 'index.mjs'))});`;
  await writeFile(join(into, 'index.mjs'), source);
  return into;
}

/** The first page of a new scraper environment, and of a server that only fetches with the native client. */
export async function coldScraper(service: LocalService, origin: string, rounds: number, without: number[]) {
  const scraper: number[] = [];
  const bare: number[] = [];
  const page = PAGES.small;
  const name = service.functions['scraper'] ?? '';
  for (let round = 0; round < rounds; round += 1) {
    for (const pid of await environmentsOf(name, service.pid)) await signalTree(pid, 'SIGKILL');
    await calm(without);
    let startedAt = performance.now();
    await getWhole(service.plain, page);
    scraper.push(performance.now() - startedAt);

    await calm(without);
    startedAt = performance.now();
    await using child = await startChild('bench/bare-client.ts');
    await (await fetch(`http://127.0.0.1:${child.line}/${encodeURIComponent(origin + page.path)}`)).text();
    bare.push(performance.now() - startedAt);
  }
  return { scraper_ms: rounded(median(scraper)), bare_client_ms: rounded(median(bare)) };
}
