import { expect, test } from 'vitest';
import { ttlCache } from '../../functions/worker/backlog/ttl-cache.ts';

/** What is taken from a list of one entry, at these times in milliseconds, and how often the list is read. */
async function taken(times: readonly number[], took?: (each: string) => void) {
  let [time, reads] = [0, 0];
  const { take } = ttlCache<string>(() => new Date(time), took);
  const read = async () => Promise.resolve([`read ${++reads}`]);
  const found: (string | undefined)[] = [];
  for (time of times) found.push(await take('list', { read, isWanted: () => true, most: 1 }));
  return found;
}

test('a list without entries is read again after a while', async () => {
  expect(await taken([0, 299, 300])).toEqual(['read 1', undefined, 'read 2']);
});

test('it is read at once if what was taken is known, and thus not listed again', async () => {
  const known: string[] = [];
  expect(await taken([0, 1, 2], (each) => known.push(each))).toEqual(['read 1', 'read 2', 'read 3']);
  expect(known).toEqual(['read 1', 'read 2', 'read 3']);
});

test('a list that was empty is not read at once', async () => {
  let [time, reads] = [0, 0];
  const { take } = ttlCache<string>(
    () => new Date(time),
    () => undefined,
  );
  const read = async () => Promise.resolve(++reads === 1 ? [] : ['later']);
  const next = () => take('list', { read, isWanted: () => true, most: 1 });
  expect([await next(), await next(), reads]).toEqual([undefined, undefined, 1]);
  time = 300;
  expect(await next()).toBe('later');
});
