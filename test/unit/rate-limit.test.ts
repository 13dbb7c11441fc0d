import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  idleTat,
  latestTat,
  nextTat,
  remaining,
  resetSeconds,
  retryAfterSeconds,
} from '../../shared/domain/credits/rate-limit.ts';

const NOW = 1_700_000_000_000;
const rate = (limit: number) => ({ limit, windowMs: 60_000 });

test('a fresh bucket takes exactly its limit in one burst', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5_000 }), (limit) => {
      let tat = 0;
      let admitted = 0;
      let miscounted = 0;
      while (tat <= latestTat(rate(limit), NOW)) {
        // An assertion each would be 250,000 of them, which takes seconds.
        if (remaining(rate(limit), tat, NOW) !== limit - admitted) miscounted += 1;
        tat = nextTat(rate(limit), tat, NOW);
        admitted += 1;
      }
      expect({ admitted, miscounted }).toEqual({ admitted: limit, miscounted: 0 });
      expect(remaining(rate(limit), tat, NOW)).toBe(0);
    }),
    { numRuns: 100 },
  );
});

test('whoever waits as long as told is admitted, and no whole second earlier would have done', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 6_000 }), fc.integer({ min: 0, max: 120_000 }), (limit, ahead) => {
      const tat = idleTat(NOW + ahead);
      const wait = retryAfterSeconds(rate(limit), tat, NOW);
      expect(tat <= latestTat(rate(limit), NOW + wait * 1_000)).toBe(true);
      if (wait > 0) expect(tat <= latestTat(rate(limit), NOW + (wait - 1) * 1_000)).toBe(false);
    }),
  );
});

test('a bucket is full again when its arrival time has come', () => {
  expect(resetSeconds(idleTat(NOW + 1_500), NOW)).toBe(2);
  expect(resetSeconds(idleTat(NOW - 1), NOW)).toBe(0);
});
