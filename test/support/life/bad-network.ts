import { expect } from 'vitest';
import { emulatedWorld } from '../world/emulated-world.ts';
import { jobLife, targetNames } from './job-life.ts';

/** Runs jobs over a network that refuses, loses, resets or duplicates a quarter of all requests. */
export async function surviveBadNetwork(seed: number, jobs: number): Promise<void> {
  await using world = await emulatedWorld({ faults: { seed, rate: 0.25 } });
  const life = jobLife(world, 500);
  const wishes = Array.from({ length: jobs }, (_, i) => ({
    target: targetNames[i % targetNames.length] ?? 'ok',
    renderJs: i % 3 === 0,
    key: `order-${i}`,
  }));
  const ids = await Promise.all(wishes.map((wish) => life.submit(wish)));
  await Promise.all(ids.map((id) => life.deliver(id ?? '')));
  await life.check();
  await life.end();
  expect(life.ids().length).toBeGreaterThan(jobs * 0.75);
  for (const fault of ['refused', 'answer lost', 'reset', 'doubled'] as const) {
    expect(world.faults?.get(fault)).toBeGreaterThan(0);
  }
}
