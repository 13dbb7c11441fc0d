import { expect, test } from 'vitest';
import { emulatedWorld } from '../support/emulated-world.ts';
import { jobLife, targetNames } from '../support/job-life.ts';

test.each([1, 2, 3])(
  'a bad network doubles nothing and loses nothing (seed %i)',
  { timeout: 120_000 },
  async (seed) => {
    await using world = await emulatedWorld({ faults: { seed, rate: 0.25 } });
    const life = jobLife(world, 500);
    const wishes = Array.from({ length: 20 }, (_, i) => ({
      target: targetNames[i % targetNames.length] ?? 'ok',
      renderJs: i % 3 === 0,
      key: `order-${i}`,
    }));
    const ids = await Promise.all(wishes.map((wish) => life.submit(wish)));
    await Promise.all(ids.map((id) => life.deliver(id ?? '')));
    await life.check();
    await life.end();
    expect(life.ids().length).toBeGreaterThan(15);
    for (const fault of ['refused', 'answer lost', 'reset', 'doubled'] as const) {
      expect(world.faults?.get(fault)).toBeGreaterThan(0);
    }
  },
);
