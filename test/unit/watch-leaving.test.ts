import { expect, test } from 'vitest';
import { watchLeaving } from '../../functions/browser/clock/watch-leaving.ts';
import type { Fact } from '../../functions/browser/page/fact.ts';

/** A page that leaves for the response of request `next`. */
async function leavingPage() {
  const watchers: ((fact: Fact) => void)[] = [];
  const { begin, isUnderWay } = watchLeaving({ on: (see) => void watchers.push(see) });
  const see = (fact: Fact) => watchers.forEach((watch) => watch(fact));
  await begin('next', () => Promise.resolve());
  return { isUnderWay, see };
}

test('the last frame of a document is drawn when no other is any more', async () => {
  const { begin, isUnderWay } = watchLeaving({ on: () => undefined });
  let wasUnderWay = false;
  await begin('next', () => Promise.resolve(void (wasUnderWay = isUnderWay())));
  expect(wasUnderWay).toBe(true);
});

const ENDS = [
  { what: 'committed', id: 'next', url: 'https://a.example/', isErrorPage: false, isRestored: false },
  { what: 'failed', id: 'next', error: 'net::ERR_ABORTED', isCanceled: true },
  { what: 'ended', id: 'next', at: 0, wireBytes: 0 },
] as const satisfies Fact[];

test.each(ENDS)('a document is left until the next one has $what', async (fact) => {
  const { isUnderWay, see } = await leavingPage();
  see({ ...fact, id: 'picture' });
  expect(isUnderWay()).toBe(true);
  see(fact);
  expect(isUnderWay()).toBe(false);
});
