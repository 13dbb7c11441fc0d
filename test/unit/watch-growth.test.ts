import { expect, test } from 'vitest';
import type { Fact } from '../../functions/browser/page/fact.ts';
import { watchGrowth } from '../../functions/browser/readiness/watch-activity.ts';

/** Whether a page in which this happens so many times has overLimit. */
function isOvergrownBy(count: number, fact: Fact): boolean {
  const watchers: ((fact: Fact) => void)[] = [];
  const overLimit = watchGrowth({ on: (see) => void watchers.push(see) });
  for (let n = 0; n < count; n += 1) watchers.forEach((watch) => watch(fact));
  return overLimit.aborted;
}

test.each([
  ['500 frames', 500, { what: 'frameAttached' }],
  ['100 workers', 100, { what: 'attached', id: 'w', isWorker: true }],
] as const)('a page may have %s and no more', (_, count, fact) => {
  expect([isOvergrownBy(count, fact), isOvergrownBy(count + 1, fact)]).toEqual([false, true]);
});
