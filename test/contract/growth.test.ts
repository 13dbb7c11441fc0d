import { expect, test } from 'vitest';
import { emulatedWorld } from '../support/emulated-world.ts';
import { DUE, smallService } from '../support/growth.ts';

/** What the emulator takes in within seconds; a scan would show at a tenth of it. `node bench/growth.ts` takes a million. */
const MORE = { settled: 1_000, open: 2_000, organizations: 500 };

test(
  'status, the listing of due jobs and an admission cost with thousands stored what they cost with ten',
  { timeout: 120_000 },
  async () => {
    await using world = await emulatedWorld();
    const service = await smallService(world);
    const before = await service.costs();
    await service.add(MORE);
    expect(Math.min(...Object.values(before))).toBeGreaterThan(0);
    expect(await service.costs()).toEqual(before);
    expect(await service.due()).toHaveLength(DUE);
  },
);
