import { expect, test } from 'vitest';
import type { Busy } from '../../functions/browser/readiness/busy-threads.ts';
import {
  AT_FIRST,
  busyTickMs,
  isHeld,
  poolAfter,
  type PoolWork,
} from '../../functions/browser/readiness/pool-work.ts';

/** After turns of 16 ms. */
const after = (threads: Busy[], from = AT_FIRST): PoolWork =>
  threads.reduce((pool, each) => poolAfter(pool, each, 16), from);

test('what works as page time begins holds it, and what begins later once it has worked in two turns', () => {
  expect(isHeld(after([]))).toBe(false);
  expect(isHeld(after(['pool']))).toBe(true);
  expect(isHeld(after(['none', 'pool']))).toBe(false);
  expect(isHeld(after(['none', 'pool', 'pool']))).toBe(true);
  expect(isHeld(after(['none', 'pool', 'workers', 'pool']))).toBe(false);
});

test('page time is held for two seconds in all', () => {
  const chain = after(Array<Busy>(124).fill('pool'));
  expect(isHeld(chain)).toBe(true);
  expect(isHeld(after(['pool'], chain))).toBe(false);
  expect(isHeld(after(['pool', 'none', 'pool', 'pool'], chain))).toBe(false);
});

test('the first turn that is held is a short one: most of that work ends at once', () => {
  expect(busyTickMs(after(['pool']))).toBe(2);
  expect(busyTickMs(after(['pool', 'pool']))).toBe(16);
});
