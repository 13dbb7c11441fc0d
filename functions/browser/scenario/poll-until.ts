import type { ScenarioContext } from './scenario-context.ts';
import { isExplained, StepFailure } from './step-failure.ts';

export const DEFAULT_TIMEOUT_MS = 10_000;
const FRAME_MS = 16;
/** The first polls are a frame apart, later ones further. */
const CLOSE_POLLS = 10;
const LATER_MS = 50;
/** Where the page's clock runs ahead, work of the outside world still gets this long by the wall clock. */
const WALL_MS = 1_000;

/** The result of one poll, or the reason why there is none yet. */
export type Poll<T> = { found: T } | { missing: string };

/** Polls while the page's time passes. Throws a `StepFailure` with the last reason after `timeout`. */
export async function pollUntil<T>(
  context: ScenarioContext,
  { timeout = DEFAULT_TIMEOUT_MS }: { timeout?: number | undefined },
  poll: () => Promise<Poll<T>>,
): Promise<T> {
  const { pageTime } = context;
  const wall = performance.now();
  const begun = await pageTime.now();
  for (let polls = 1; ; polls += 1) {
    const seen = await whileItChanges(context, poll);
    if ('found' in seen) return seen.found;
    const isLate = (await pageTime.now()) - begun >= timeout;
    const isOver = performance.now() - wall >= Math.min(timeout, WALL_MS);
    if (isLate && isOver) throw new StepFailure(`${seen.missing} within ${timeout} ms`);
    if (isLate) await pageTime.sleep(FRAME_MS);
    else await pageTime.pass(polls < CLOSE_POLLS ? FRAME_MS : LATER_MS);
  }
}

/** A document or frame may be replaced during a poll; the next poll sees its successor. */
async function whileItChanges<T>(context: ScenarioContext, poll: () => Promise<Poll<T>>): Promise<Poll<T>> {
  try {
    return await poll();
  } catch (error) {
    if (isExplained(error) || context.session.detached || context.signal.aborted) throw error;
    context.worlds.forget();
    return { missing: 'the page kept changing' };
  }
}
