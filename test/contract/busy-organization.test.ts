import { v7 } from 'uuid';
import { expect, test } from 'vitest';
import { shortId } from '../../shared/domain/accounts/credits/short-id.ts';
import { emulatedWorld } from '../support/world/emulated-world.ts';
import { NOON, storedOrganization } from '../support/world/jobs.ts';

const organization = storedOrganization({}, { plan: 'business' });
const until = new Date(NOON.getTime() + 60_000);

test('an admission beside a hundred running scrapes costs five write units', async () => {
  await using world = await emulatedWorld();
  for (let scrapes = 0; scrapes <= 100; scrapes++) {
    const slot = { id: shortId(v7()), until };
    await world.usage.admit(organization, { bucket: 'scrape', credits: 1, slot }, NOON);
  }
  expect(world.spent.at(-1)).toBe(5);
});
