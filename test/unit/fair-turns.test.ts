import { expect, test } from 'vitest';
import { fairTurns } from '../../shared/time/fair-turns.ts';

const forever = new AbortController().signal;
const MINUTE_MS = 60_000;

/** Turns on a clock that is set by hand, and what was begun by whom. */
function turns({ places = 2, budgetMs = 10_000 } = {}) {
  let time = 0;
  const takeTurn = fairTurns({ places, budgetMs, windowMs: MINUTE_MS, now: () => time });
  const begun: string[] = [];
  /** A task that lasts until it is ended. */
  const task = (group: string, signal: AbortSignal = forever) => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const result = takeTurn(
      group,
      () => {
        begun.push(group);
        return promise;
      },
      signal,
    );
    result.catch(() => undefined);
    return { result, end: () => resolve(group), fail: () => reject(new Error('It failed.')) };
  };
  const pass = (ms: number) => (time += ms);
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  /** Has the group take so much time. */
  const take = async (group: string, ms: number) => {
    const { result, end } = task(group);
    await settled();
    pass(ms);
    end();
    await result;
    await settled();
  };
  return { task, take, pass, settled, begun };
}

test('one task of a group is in progress at a time, and another group goes ahead', async () => {
  const { task, settled, begun } = turns();
  const first = task('a');
  const others = [task('a'), task('a')];
  task('b');
  await settled();
  expect(begun).toEqual(['a', 'b']);
  first.end();
  expect(await first.result).toBe('a');
  await settled();
  expect(begun).toEqual(['a', 'b', 'a']);
  expect(others).toHaveLength(2);
});

test('groups take turns, however many tasks one of them has', async () => {
  const { task, settled, begun } = turns({ places: 1 });
  const all = ['a', 'a', 'a', 'b', 'b', 'c'].map((group) => task(group));
  for (const each of [0, 3, 5, 1, 4, 2]) {
    all[each]?.end();
    await settled();
  }
  await Promise.all(all.map(({ result }) => result));
  expect(begun).toEqual(['a', 'b', 'c', 'a', 'b', 'a']);
});

test('groups over their budget share one place, and none of them is refused', async () => {
  const { task, take, settled, begun } = turns();
  for (const group of ['a', 'b']) await take(group, 20_000);
  begun.length = 0;
  const [one, other] = [task('a'), task('b')];
  await settled();
  expect(begun).toEqual(['a']);
  task('c').end();
  task('d').end();
  await settled();
  expect(begun).toEqual(['a', 'c', 'd']);
  one.end();
  other.end();
  expect(await other.result).toBe('b');
});

test('a group within its budget goes before a group over its budget', async () => {
  const { task, take, settled, begun } = turns({ places: 1 });
  await take('a', 11_000);
  begun.length = 0;
  const first = task('b');
  const all = [task('a'), task('c')];
  for (const { end } of [first, ...all]) end();
  await settled();
  expect(begun).toEqual(['b', 'c', 'a']);
});

test('a budget comes back within a minute', async () => {
  const { task, take, pass, settled, begun } = turns();
  await take('a', 20_000);
  await take('b', 20_000);
  pass(MINUTE_MS);
  begun.length = 0;
  for (const group of ['a', 'b']) task(group);
  await settled();
  expect(begun).toEqual(['a', 'b']);
});

test('a failed task and an abandoned one block none', async () => {
  const { task, settled, begun } = turns({ places: 1 });
  const caller = new AbortController();
  const failing = task('a');
  const givenUp = task('a', caller.signal);
  const last = task('a');
  caller.abort(new Error('The caller has gone.'));
  await expect(givenUp.result).rejects.toThrow('The caller has gone.');
  failing.fail();
  await expect(failing.result).rejects.toThrow('It failed.');
  last.end();
  expect(await last.result).toBe('a');
  await settled();
  expect(begun).toEqual(['a', 'a']);
});
