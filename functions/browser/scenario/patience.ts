import type { Hands } from './hands.ts';
import { isExplained, StepFailure } from './step-failure.ts';

export const DEFAULT_TIMEOUT_MS = 10_000;
const FRAME_MS = 16;
/** The first looks follow each other by frames, later ones less closely. */
const CLOSE_LOOKS = 10;
const LATER_MS = 50;
/** Where the page's clock runs ahead, work of the outside world still gets this long by the wall clock. */
const WALL_MS = 1_000;

/** What one look has found, or in words why there is nothing to find yet. */
export type Look<T> = { found: T } | { missing: string };

/** Looks again and again, while the page's time passes. Throws the last look's words after `timeout`. */
export async function patiently<T>(
  hands: Hands,
  { timeout = DEFAULT_TIMEOUT_MS }: { timeout?: number | undefined },
  look: () => Promise<Look<T>>,
): Promise<T> {
  const { pace } = hands;
  const wall = performance.now();
  const begun = await pace.now();
  for (let looks = 1; ; looks += 1) {
    const seen = await whileItChanges(hands, look);
    if ('found' in seen) return seen.found;
    const isLate = (await pace.now()) - begun >= timeout;
    const isOver = performance.now() - wall >= Math.min(timeout, WALL_MS);
    if (isLate && isOver) throw new StepFailure(`${seen.missing} within ${timeout} ms`);
    if (isLate) await pace.sleep(FRAME_MS);
    else await pace.pass(looks < CLOSE_LOOKS ? FRAME_MS : LATER_MS);
  }
}

/** A document or frame may disappear during a look; the next look sees its successor. */
async function whileItChanges<T>(hands: Hands, look: () => Promise<Look<T>>): Promise<Look<T>> {
  try {
    return await look();
  } catch (error) {
    if (isExplained(error) || hands.session.detached || hands.signal.aborted) throw error;
    hands.worlds.forget();
    return { missing: 'the page kept changing' };
  }
}
