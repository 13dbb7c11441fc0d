import { expect, test } from 'vitest';
import type { Fact } from '../../functions/browser/page/fact.ts';
import { watchFlow } from '../../functions/browser/clock/watch-flow.ts';

/** A flow whose facts and clock the test sets. */
function watched() {
  const watchers: ((fact: Fact) => void)[] = [];
  const clock = { now: 0 };
  const isFlowing = watchFlow({ on: (see) => void watchers.push(see) }, () => clock.now);
  const see = (fact: Fact) => watchers.forEach((watch) => watch(fact));
  see({ what: 'committed', id: 'd', url: 'https://a.example/', isErrorPage: false, isRestored: false });
  const receive = (bytes: number, id = 'd') => see({ what: 'received', id, bytes });
  return { isFlowing, clock, see, receive };
}

test('a small document and its subresources do not delay frames', () => {
  const { isFlowing, receive } = watched();
  receive(500_000);
  receive(50_000_000, 'script');
  expect(isFlowing()).toBe(false);
});

test('a large document delays frames while it is received', () => {
  const { isFlowing, clock, see, receive } = watched();
  receive(1_000_000);
  expect(isFlowing()).toBe(true);
  clock.now = 499;
  expect(isFlowing()).toBe(true);
  receive(1_000_000);
  clock.now = 900;
  expect(isFlowing()).toBe(true);
  see({ what: 'ended', id: 'd', at: 0, wireBytes: 0 });
  expect(isFlowing()).toBe(false);
});

test('a document that pauses or arrives in small pieces does not delay frames', () => {
  const { isFlowing, clock, receive } = watched();
  receive(1_000_000);
  for (clock.now = 100; clock.now <= 500; clock.now += 100) receive(20_000);
  expect(isFlowing()).toBe(false);
});

test('the next document is measured from zero', () => {
  const { isFlowing, see, receive } = watched();
  receive(1_000_000);
  see({ what: 'committed', id: 'e', url: 'https://a.example/', isErrorPage: false, isRestored: false });
  receive(1_000, 'e');
  expect(isFlowing()).toBe(false);
});
