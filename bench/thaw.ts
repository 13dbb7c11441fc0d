import { setTimeout } from 'node:timers/promises';
import { browserFunction } from './browser-function.ts';
import { rounded } from './compare.ts';
import { PAGES } from './pages/pages.ts';
import { calm, signalTree } from './processes.ts';

/**
 * Stops a browser environment as Lambda freezes it. The returned function continues it later and measures the
 * next page.
 */
export async function frozenBrowser(
  options: Parameters<typeof browserFunction>[0],
  origin: string,
  forMs: number,
) {
  const frozen = await browserFunction(options);
  await frozen.warmUp();
  await calm([]);
  const pids = frozen.pids();
  for (const pid of pids) await signalTree(pid, 'SIGSTOP');
  const until = setTimeout(forMs);
  return {
    async thaw() {
      await until;
      for (const pid of pids) await signalTree(pid, 'SIGCONT');
      const startedAt = performance.now();
      await frozen.render(origin + PAGES.spa.path);
      return { frozen_ms: forMs, first_page_ms: rounded(performance.now() - startedAt) };
    },
    [Symbol.asyncDispose]: () => frozen[Symbol.asyncDispose](),
  };
}
