import { browserFunction } from '../test/support/browser-function.ts';
import { rounded } from './compare.ts';
import { median } from './measure.ts';
import { LATE, PAGES } from './pages/pages.ts';
import { calm } from './processes.ts';

type Options = { taskRoot: string; chromiumDir: string; origin: string; rounds: number; without: number[] };

/** The default wait beside the load event, on a page without scripts, and with a timer's content. */
export async function settledRow({ taskRoot, chromiumDir, origin, rounds, without }: Options) {
  await using browser = await browserFunction({ taskRoot, chromiumDir, allow: new URL(origin).host });
  const times = { load: [] as number[], settled: [] as number[], late: [] as number[] };
  const timed = async (path: string, holds: string, waitUntil: 'load' | 'settled') => {
    await calm(without);
    const startedAt = performance.now();
    const body = await browser.render(origin + path, { waitUntil });
    if (!body.includes(holds)) throw new Error(`${path} is not whole.`);
    return performance.now() - startedAt;
  };
  const { path, holds } = PAGES.small;
  for (let round = -1; round < rounds; round += 1) {
    const load = await timed(path, holds, 'load');
    const settled = await timed(path, holds, 'settled');
    const late = await timed(LATE.path, LATE.holds, 'settled');
    // The first is cold.
    if (round < 0) continue;
    times.load.push(load);
    times.settled.push(settled);
    times.late.push(late);
  }
  return {
    static_load_ms: rounded(median(times.load)),
    static_settled_ms: rounded(median(times.settled)),
    timer_of_4_s_ms: rounded(median(times.late)),
  };
}
