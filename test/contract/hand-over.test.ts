import { v7 } from 'uuid';
import { expect, test } from 'vitest';
import type { Organization } from '../../shared/contract/accounts/account.ts';
import { tallyOf } from '../../shared/domain/accounts/credits/usage-days.ts';
import { NOON } from '../support/jobs.ts';
import { describePorts } from '../support/ports.ts';

const SECOND_MS = 1_000;
const later = (ms: number) => new Date(NOON.getTime() + ms);
const LAST = new Date('2026-11-30T23:59:50Z');
const NEXT_MONTH = new Date('2026-12-01T00:00:00Z');

/** The slot of a job of that name. */
const named = (job: string) => `${job}~1`;

describePorts('a slot that is handed over', (ports) => {
  const organization = (overrides: Organization['overrides'] = {}): Organization => {
    return { id: `org_${v7()}`, name: 'Test', plan: 'free', status: 'active', overrides, createdAt: NOON };
  };
  const slotFor = (id: string, credits: number, now = NOON) => ({
    credits,
    slot: { id: named(id), until: new Date(now.getTime() + 60 * SECOND_MS) },
  });
  const take = (org: Organization, id: string, credits: number, now = NOON, creditsPerDay?: number) =>
    ports().usage.admit(org, { ...slotFor(id, credits, now), key: keyed(creditsPerDay) }, now);
  const keyed = (creditsPerDay?: number, id = 'key') =>
    creditsPerDay === undefined ? undefined : { id, creditsPerDay };
  const scrape = (slotId: string, held: number, charged: number) => ({
    slotId: named(slotId),
    held,
    ended: tallyOf({ kind: 'rendered', reason: charged > 0 ? 'page' : 'no_page', charged }),
  });
  type Handed = { held?: number; charged?: number; credits?: number; key?: ReturnType<typeof keyed> };
  /** From the slot `a` to the slot `b`. */
  const handOver = (org: Organization, wanted: Handed = {}, now = NOON) => {
    const { held = 5, charged = 5, credits = 5, key } = wanted;
    const next = { ...slotFor('b', credits, now), key };
    return ports().usage.handOver(org, { settled: scrape('a', held, charged), next }, now);
  };
  const usage = (org: Organization, now = NOON) => ports().usage.read(org, now);
  /** That it is refused and changes nothing. */
  const expectRefused = async (org: Organization, wanted: Handed = {}, now = NOON) => {
    const before = await usage(org, now);
    expect(await handOver(org, wanted, now)).toBeUndefined();
    expect(await usage(org, now)).toEqual(before);
  };

  test('charges and counts the first job, and holds the credits of the next', async () => {
    const org = organization({ credits: 100, concurrency: 1 });
    await take(org, 'a', 5);
    const handed = await handOver(org, { charged: 5, credits: 1 });
    expect(handed).toMatchObject({ used: 5, available: 94 });
    expect(handed?.slots).toEqual({
      [named('b')]: { credits: 1, until: later(60_000).getTime(), period: '2026-11' },
    });
    expect(Object.values(handed?.days ?? {})).toEqual([{ rendered_page: 1, rendered_credits: 5 }]);
    expect(await usage(org)).toEqual(handed);
    await expectRefused(org);
    expect(await ports().usage.settle(org, scrape('a', 5, 5), NOON)).toEqual(handed);
    const settled = await ports().usage.settle(org, scrape('b', 1, 0), NOON);
    expect(settled).toMatchObject({ used: 5, available: 95, slots: {} });
  });

  test('pays for the next job with what the first one returns, and with no more than there is', async () => {
    const org = organization({ credits: 6 });
    await take(org, 'a', 5);
    await expectRefused(org, { charged: 0, credits: 10 });
    await expectRefused(org, { charged: 5, credits: 5 });
    const handed = await handOver(org, { charged: 0, credits: 5 });
    expect(handed).toMatchObject({ used: 0, available: 1 });
  });

  test('is not taken if another process has settled it, or if the next job has a slot', async () => {
    const org = organization();
    await take(org, 'other', 5);
    await expectRefused(org);
    await take(org, 'a', 5);
    await take(org, 'b', 5);
    await expectRefused(org);
    await expectRefused(org, { held: 10 });
  });

  test('is not taken beyond the concurrency, even if that was lowered', async () => {
    const org = organization({ concurrency: 3 });
    for (const id of ['a', 'other', 'another']) await take(org, id, 5);
    const lowered = { ...org, overrides: { concurrency: 2 } };
    await expectRefused(lowered);
    await ports().usage.settle(org, scrape('other', 5, 5), NOON);
    expect(Object.keys((await handOver(lowered))?.slots ?? {}).sort()).toEqual(['another', 'b'].map(named));
  });

  test('is left to sync scrapes while they find none', async () => {
    const org = organization({ concurrency: 10 });
    await take(org, 'a', 5);
    for (let n = 1; n < 10; n++) await take(org, `job-${n}`, 5);
    const { slot } = slotFor('sync', 1);
    const sync = { bucket: 'scrape', credits: 1, slot: { ...slot, id: 'sync' } } as const;
    expect(await ports().usage.admit(org, sync, NOON)).toMatchObject({ code: 'too_many_concurrent' });
    await expectRefused(org);
    const usageThen = await handOver(org, {}, later(61 * SECOND_MS));
    // Some slots have run out by then, which only an admission frees.
    expect(usageThen?.slots).toHaveProperty(named('b'));
  });

  test('is not taken on a new day or in a new month, which an admission begins', async () => {
    const org = organization({ credits: 10 });
    await take(org, 'a', 5, LAST);
    expect(await handOver(org, {}, NEXT_MONTH)).toBeUndefined();
    await take(org, 'of the next month', 1, NEXT_MONTH);
    await expectRefused(org, {}, NEXT_MONTH);
    expect(await ports().usage.settle(org, scrape('a', 5, 5), NEXT_MONTH)).toMatchObject({ used: 0 });
  });

  test('moves to the next day with a clock that lags behind', async () => {
    const org = organization();
    const [late, early] = [new Date('2026-11-21T23:59:59Z'), new Date('2026-11-22T00:00:01Z')];
    await take(org, 'a', 5, early);
    const handed = await handOver(org, {}, late);
    expect(handed?.days?.['2026-11-22']).toEqual({ rendered_page: 1, rendered_credits: 5 });
  });

  test('passes the cap of a key on, exactly', async () => {
    const org = organization();
    await take(org, 'a', 5, NOON, 12);
    await expectRefused(org, { key: keyed(9) });
    const handed = await handOver(org, { key: keyed(12), charged: 0, credits: 10 });
    expect(handed).toMatchObject({ spent: { key: 10 }, capped: { [named('b')]: 'key' }, used: 0 });
    const settled = await ports().usage.settle(org, scrape('b', 10, 5), NOON);
    expect(settled).toMatchObject({ spent: { key: 5 }, capped: {}, used: 5, slots: {} });
  });

  test('takes two writes where only one of the jobs has a key with a cap', async () => {
    const org = organization();
    await take(org, 'a', 5, NOON, 12);
    await expectRefused(org);
    await expectRefused(org, { key: keyed(100, 'another') });
    const free = organization();
    await take(free, 'a', 5);
    await expectRefused(free, { key: keyed(100) });
  });

  test('goes to one of two jobs', async () => {
    const org = organization({ concurrency: 1, credits: 100 });
    await take(org, 'a', 5);
    const settled = scrape('a', 5, 5);
    const both = await Promise.all(
      ['b', 'c'].map((id) => ports().usage.handOver(org, { settled, next: slotFor(id, 5) }, NOON)),
    );
    expect(both.filter((each) => each !== undefined)).toHaveLength(1);
    expect(await usage(org)).toMatchObject({ used: 5, available: 90 });
  });
});
