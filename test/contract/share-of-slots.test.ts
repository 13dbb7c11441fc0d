import { expect, test } from 'vitest';
import { emulatedWorld } from '../support/world/emulated-world.ts';
import { NOON, storedOrganization } from '../support/world/jobs.ts';

const organization = storedOrganization({ concurrency: 2 });

test('a worker that has only read the usage leaves a slot to sync scrapes too', async () => {
  await using world = await emulatedWorld();
  const place = (id: string) => ({ credits: 1, slot: { id, until: new Date(NOON.getTime() + 60_000) } });
  const [api, worker] = [world.newAccounts(), world.newAccounts()];
  await api.usage.admit(organization, { bucket: 'scrape', ...place('sync') }, NOON);
  expect((await worker.usage.read(organization, NOON)).slots.syncAt).toBe(NOON.getTime());
  const refused = await worker.usage.admit(organization, place('job'), NOON);
  expect(refused).toMatchObject({ outcome: 'refused', code: 'too_many_concurrent' });
  expect(await worker.waitList.noteWaiting(organization, NOON)).toBe(true);
});
