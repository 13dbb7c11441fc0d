import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { firstAborted } from '../../shared/time/first-aborted.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

test('the first signal aborts, with its reason, and others change nothing', () => {
  const [one, other] = [new AbortController(), new AbortController()];
  const first = firstAborted(one.signal, other.signal);
  expect(first.aborted).toBe(false);
  other.abort('other');
  one.abort('one');
  expect([first.aborted, first.reason]).toEqual([true, 'other']);
});

test('a signal that has aborted before aborts at once', () => {
  const first = firstAborted(new AbortController().signal, AbortSignal.abort('before'));
  expect([first.aborted, first.reason]).toEqual([true, 'before']);
});

test.each([
  ['alone', () => undefined],
  [
    'beside a signal of it that has aborted',
    (of: AbortSignal) => firstAborted(of, AbortSignal.abort()).aborted,
  ],
])('a timeout %s fires after garbage was collected', async (_, alsoMake) => {
  const fired = Array.from({ length: 20 }, () => {
    const first = firstAborted(new AbortController().signal, AbortSignal.timeout(200));
    alsoMake(first);
    return new Promise((resolve) => {
      first.addEventListener('abort', () => resolve((first.reason as Error).name));
    });
  });
  const collecting = setInterval(collectGarbage, 20);
  expect(new Set(await Promise.all(fired))).toEqual(new Set(['TimeoutError']));
  clearInterval(collecting);
});
