import { v7 } from 'uuid';
import { expect, test } from 'vitest';
import type { Organization } from '../../shared/contract/accounts/account.ts';
import { emulatedWorld } from '../support/world/emulated-world.ts';
import { NOON, storedOrganization } from '../support/world/jobs.ts';
import { describePorts } from '../support/world/ports.ts';
import { tallyOf } from '../../shared/domain/accounts/credits/usage-days.ts';

const MINUTE_MS = 60_000;
const TOMORROW = new Date('2026-11-22T00:00:01Z');

const organization = () => storedOrganization({ concurrency: 100 });

describePorts('the daily cap of a key', (ports) => {
  const take = (org: Organization, id: string, creditsPerDay: number, now = NOON) => {
    const slot = { id, until: new Date(now.getTime() + MINUTE_MS) };
    return ports().usage.admit(org, { credits: 5, slot, key: { id: 'key', creditsPerDay } }, now);
  };
  const settle = (org: Organization, slotId: string, charged: number, now = NOON) =>
    ports().usage.settle(
      org,
      {
        slotId,
        held: 5,
        ended: tallyOf({ kind: 'rendered', reason: charged > 0 ? 'page' : 'no_page', charged }),
      },
      now,
    );

  test('is never exceeded by scrapes at the same time', async () => {
    const org = organization();
    const admissions = await Promise.all(Array.from({ length: 12 }, (_, n) => take(org, `s${n}`, 23)));
    expect(admissions.filter(({ outcome }) => outcome === 'admitted')).toHaveLength(4);
    for (const each of admissions.filter(({ outcome }) => outcome === 'refused'))
      expect(each).toMatchObject({ code: 'key_not_allowed' });
  });

  test('gets back the credits that a scrape did not use, or that its dead holder held', async () => {
    const org = organization();
    await take(org, 'free', 5);
    expect(await take(org, 'early', 5)).toMatchObject({ code: 'key_not_allowed' });
    await settle(org, 'free', 0);
    await settle(org, 'free', 0);
    expect(await take(org, 'dead', 5)).toMatchObject({ outcome: 'admitted' });
    expect(await take(org, 'late', 5)).toMatchObject({ code: 'key_not_allowed' });
    const later = new Date(NOON.getTime() + MINUTE_MS);
    expect(await take(org, 'next', 5, later)).toMatchObject({ outcome: 'admitted' });
    await settle(org, 'next', 5, later);
    expect(await take(org, 'over', 5, later)).toMatchObject({ code: 'key_not_allowed' });
  });

  test('starts again with the day, and a scrape of the day before changes nothing then', async () => {
    const org = organization();
    const late = new Date('2026-11-21T23:59:50Z');
    await take(org, 'over midnight', 5, late);
    expect(await take(org, 'a', 5, TOMORROW)).toMatchObject({ outcome: 'admitted' });
    await settle(org, 'over midnight', 0, TOMORROW);
    expect(await take(org, 'b', 5, TOMORROW)).toMatchObject({ code: 'key_not_allowed' });
  });

  test('is exact for a slot that another process settles', async () => {
    const org = organization();
    expect(await take(org, 'a', 4)).toMatchObject({ code: 'key_not_allowed' });
    await take(org, 'b', 10);
    const { usage } = await ports().usage.admit(org, { bucket: 'read', credits: 0 }, NOON);
    expect(usage).toMatchObject({ limits: { caps: { spent: { key: 5 }, keyOf: { b: 'key' } } } });
    expect(await settle(org, 'b', 5)).toMatchObject({
      limits: { caps: { spent: { key: 5 }, keyOf: {} } },
      credits: { used: 5 },
    });
  });

  test('notes the use of a key once an hour', async () => {
    const accounts = ports();
    const orgId = `org_${v7()}`;
    const keyId = v7();
    for (const minutes of [0, 59, 60, 61])
      await accounts.keys.touch(orgId, keyId, new Date(NOON.getTime() + minutes * MINUTE_MS));
    expect(await accounts.keys.lastUsed(orgId)).toEqual({
      [keyId]: new Date(NOON.getTime() + 60 * MINUTE_MS),
    });
  });
});

test('a process that has not seen the cap of a slot gives its credits back too', async () => {
  await using world = await emulatedWorld();
  const org = organization();
  const slot = { id: 'a', until: new Date(NOON.getTime() + MINUTE_MS) };
  await world.usage.admit(org, { credits: 5, slot, key: { id: 'key', creditsPerDay: 5 } }, NOON);
  const settlement = {
    slotId: 'a',
    held: 5,
    ended: tallyOf({ kind: 'plain', reason: 'no_page', charged: 0 }),
  } as const;
  const usage = await world.newAccounts().usage.settle(org, settlement, NOON);
  expect(usage).toMatchObject({ credits: { used: 0 }, limits: { caps: { spent: { key: 0 }, keyOf: {} } } });
});
