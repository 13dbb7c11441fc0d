import { expect, test } from 'vitest';
import { emulatedWorld } from '../support/world/emulated-world.ts';
import { ended, NOON, storedOrganization } from '../support/world/jobs.ts';

const SECOND_MS = 1_000;
const later = new Date(NOON.getTime() + 2 * SECOND_MS);
const organization = storedOrganization({ concurrency: 1 });
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
