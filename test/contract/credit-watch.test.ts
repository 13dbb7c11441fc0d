import { expect, test } from 'vitest';
import type { Organization } from '../../shared/contract/accounts/account.ts';
import { emulatedWorld } from '../support/world/emulated-world.ts';
import { ended, NOON } from '../support/world/jobs.ts';

const SECOND_MS = 1_000;
const later = new Date(NOON.getTime() + 2 * SECOND_MS);
const organization: Organization = {
  id: 'org_1',
  name: 'Test',
  plan: 'free',
  status: 'active',
  overrides: { concurrency: 1 },
  createdAt: NOON,
};
const slot = (id: string, now = NOON) => ({ id, until: new Date(now.getTime() + SECOND_MS) });

test('charged credits are reported once', async () => {
  await using world = await emulatedWorld();
  await world.usage.admit(organization, { credits: 5, slot: slot('a') }, NOON);
  for (let time = 0; time < 2; time += 1)
    await world.usage.settle(organization, { slotId: 'a', held: 5, ended: ended(5) }, NOON);
  await world.usage.settle(organization, { slotId: 'b', held: 5, ended: ended(5) }, NOON);
  expect(world.reported).toEqual([5]);
});

test('an expired slot is reported when it is released', async () => {
  await using world = await emulatedWorld();
  await world.usage.admit(organization, { credits: 5, slot: slot('a') }, NOON);
  await world.usage.admit(organization, { credits: 5, slot: slot('b', later) }, later);
  expect(world.reported).toEqual(['slot ran out']);
});
