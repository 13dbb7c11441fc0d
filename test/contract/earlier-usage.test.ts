import { expect, test } from 'vitest';
import { emulatedWorld } from '../support/world/emulated-world.ts';
import { NOON, storedOrganization } from '../support/world/jobs.ts';

const organization = storedOrganization({}, { id: 'org_1' });

const usage = { period: '2026-11', available: 7, used: 3, scrape_tat: 0, read_tat: 0, slots: {} };

test('usage that an earlier version stored takes grants', async () => {
  await using world = await emulatedWorld();
  await world.storeAccount({ pk: 'USAGE#org_1', ...usage });
  const grant = { id: 'gift', credits: 5 };
  expect(await world.usage.grant(organization, grant, NOON)).toMatchObject({
    credits: { available: 12, used: 3 },
  });
});

test('usage stored by an earlier version admits readers', async () => {
  await using world = await emulatedWorld();
  await world.storeAccount({ pk: 'USAGE#org_1', ...usage });
  await world.usage.release(organization, 'nobody');
  const until = new Date(NOON.getTime() + 60_000);
  const request = { credits: 0, reader: { id: 'a', until } };
  expect(await world.usage.admit(organization, request, NOON)).toMatchObject({
    outcome: 'admitted',
    usage: { credits: { available: 7, used: 3 }, slots: { readers: { a: until.getTime() } } },
  });
});
