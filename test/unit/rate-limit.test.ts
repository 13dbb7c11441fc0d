import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  idleTat,
  latestTat,
  nextTat,
  remaining,
  resetSeconds,
  retryAfterSeconds,
} from '../../shared/domain/accounts/credits/rate-limit.ts';

const NOW = 1_700_000_000_000;
const rate = (limit: number) => ({ limit, windowMs: 60_000 });

test('a full bucket admits exactly its limit in one burst', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5_000 }), (limit) => {
      let tat = 0;
      let admitted = 0;
      let miscounted = 0;
      while (tat <= latestTat(rate(limit), NOW)) {
        // 250,000 separate assertions would take seconds.
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

test('Retry-After is the least number of whole seconds until a request is admitted', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 6_000 }), fc.integer({ min: 0, max: 120_000 }), (limit, ahead) => {
      const tat = idleTat(NOW + ahead);
      const wait = retryAfterSeconds(rate(limit), tat, NOW);
      expect(tat <= latestTat(rate(limit), NOW + wait * 1_000)).toBe(true);
      if (wait > 0) expect(tat <= latestTat(rate(limit), NOW + (wait - 1) * 1_000)).toBe(false);
    }),
  );
});

test('the reset time is the time until the bucket is full', () => {
  expect(resetSeconds(idleTat(NOW + 1_500), NOW)).toBe(2);
  expect(resetSeconds(idleTat(NOW - 1), NOW)).toBe(0);
});
