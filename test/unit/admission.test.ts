import fc from 'fast-check';
import { v7 } from 'uuid';
import { expect, test } from 'vitest';
import { admit, currentUsage, withoutSlot } from '../../shared/domain/accounts/credits/admission.ts';
import { tallyOf } from '../../shared/domain/accounts/credits/usage-days.ts';

const NOW = new Date('2026-11-21T12:00:00Z');
const limits = { credits: 50, rpm: 1_000, readsPerMinute: 1_000, concurrency: 4 };

type Step = { id: string; credits: number; isSettled: boolean; charged: number; waits: number };

const ended = (charged: number) => tallyOf({ kind: 'plain', reason: 'page', charged });

const step = fc.record<Step>({
  id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
  credits: fc.constantFrom(1, 5, 10, 25),
  isSettled: fc.boolean(),
  charged: fc.constantFrom(0, 1),
  waits: fc.integer({ min: 0, max: 20_000 }),
});

test('available, held and used credits always add up to the credits granted', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let now = NOW;
      let usage = currentUsage(undefined, limits, now);
      for (const { id, credits, isSettled, charged, waits } of steps) {
        now = new Date(now.getTime() + waits);
        usage = currentUsage(usage, limits, now);
        const held = usage.slots.inUse[id]?.credits ?? 0;
        usage = isSettled
          ? withoutSlot(usage, id, ended(held * charged))
          : admit(usage, limits, { credits, slot: { id, until: new Date(now.getTime() + 60_000) } }, now)
              .usage;
        const inSlots = Object.values(usage.slots.inUse).reduce((sum, slot) => sum + slot.credits, 0);
        expect(usage.credits.available + inSlots + usage.credits.used).toBe(limits.credits);
        expect(Math.min(usage.credits.available, usage.credits.used)).toBeGreaterThanOrEqual(0);
        expect(Object.keys(usage.slots.inUse).length).toBeLessThanOrEqual(limits.concurrency);
      }
    }),
  );
});

test('a slow clock does not bring back the previous month', () => {
  const usage = currentUsage(undefined, limits, new Date('2026-12-01T00:00:00Z'));
  const spent = { ...usage, credits: { ...usage.credits, available: 0, used: 50 } };
  expect(currentUsage(spent, limits, NOW).credits).toMatchObject({ period: '2026-12', available: 0 });
});

test('Retry-After of a request without a free slot is random, and at most the time until a slot expires', () => {
  const waits = (until: number) => {
    const fresh = currentUsage(undefined, limits, NOW);
    const inUse = { held: { credits: 1, until: NOW.getTime() + until, period: '2026-11' } };
    const usage = { ...fresh, slots: { ...fresh.slots, inUse } };
    const ids = Array.from({ length: 100 }, () => v7());
    const refused = ids.map((id) =>
      admit(usage, { ...limits, concurrency: 1 }, { credits: 1, slot: { id, until: NOW } }, NOW),
    );
    return new Set(refused.map((each) => each.outcome === 'refused' && each.retryAfter));
  };
  expect(waits(130_000)).toEqual(new Set([2, 3, 4, 5]));
  expect(waits(900)).toEqual(new Set([1]));
});
