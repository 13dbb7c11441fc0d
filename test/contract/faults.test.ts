// @module-tag soak
import { expect, test } from 'vitest';
import { surviveBadNetwork } from '../support/life/bad-network.ts';
import { emulatedWorld } from '../support/world/emulated-world.ts';
import { NOON, storedOrganization } from '../support/world/jobs.ts';

test('a bad network neither duplicates nor loses anything', { timeout: 120_000 }, () =>
  surviveBadNetwork(1, 6),
);

test('a bad network grants no credits twice', { timeout: 120_000 }, async () => {
  await using world = await emulatedWorld({ faults: { seed: 2, rate: 0.5 } });
  const organization = storedOrganization({ credits: 0 });
  for (let n = 0; n < 20; n++) await world.usage.grant(organization, { id: `g${n}`, credits: 10 }, NOON);
  expect(await world.usage.read(organization, NOON)).toMatchObject({ credits: { available: 200 } });
  for (const fault of ['answer lost', 'doubled'] as const)
    expect(world.faults?.get(fault)).toBeGreaterThan(0);
});
