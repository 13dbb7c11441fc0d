import { browserFunction } from '../test/support/browser/browser-function.ts';
import { rounded } from './compare.ts';
import { interleaved, median } from './measure.ts';
import { LATE, PAGES } from './pages/pages.ts';
import { calm } from './processes.ts';

type Options = { taskRoot: string; chromiumDir: string; origin: string; rounds: number; without: number[] };

/** The default wait beside the load event, on a page without scripts, and with a timer's content. */
export async function settledRow({ taskRoot, chromiumDir, origin, rounds, without }: Options) {
  await using browser = await browserFunction({ taskRoot, chromiumDir, allow: new URL(origin).host });
  const render = (page: { path: string; holds: string }, waitUntil: 'load' | 'settled') => async () => {
    const body = await browser.render(origin + page.path, { waitUntil });
    if (!body.includes(page.holds)) throw new Error(`${page.path} is not whole.`);
  };
  const tasks = [render(PAGES.small, 'load'), render(PAGES.small, 'settled'), render(LATE, 'settled')];
  const [load = [], settled = [], late = []] = await interleaved(tasks, rounds, 1, () => calm(without));
  return {
    static_load_ms: rounded(median(load)),
    static_settled_ms: rounded(median(settled)),
    timer_of_4_s_ms: rounded(median(late)),
  };
}
