import { expect } from 'vitest';
import { emulatedWorld } from './emulated-world.ts';
import { DUE, type Sizes, smallService } from './growth.ts';

/** A status, lists of what is due or waits and an admission cost the same after as many more are stored. */
export async function costStays(more: Sizes): Promise<void> {
  await using world = await emulatedWorld();
  const service = await smallService(world);
  const before = await service.costs();
  await service.add(more);
  expect(Math.min(...Object.values(before))).toBeGreaterThan(0);
  expect(await service.costs()).toEqual(before);
  expect(await service.due()).toHaveLength(DUE);
}
