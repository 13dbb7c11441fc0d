import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Organization } from '../../shared/contract/accounts/account.ts';
import type { AdmissionRequest } from '../../shared/domain/accounts/credits/admission.ts';
import { createApiKey, hashApiKey } from '../../shared/domain/accounts/api-key.ts';
import { NO_SCRAPES, withScrape } from '../../shared/domain/accounts/credits/usage-days.ts';
import { ended, NOON, storedOrganization } from '../support/world/jobs.ts';
import { describePorts } from '../support/world/ports.ts';

const SECOND_MS = 1_000;
const later = (ms: number) => new Date(NOON.getTime() + ms);
const NEXT_MONTH = new Date('2026-12-01T00:00:00Z');

describePorts('accounts', (ports) => {
  const take = (org: Organization, id: string, credits: number, now = NOON, lasts = 60 * SECOND_MS) =>
    ports().usage.admit(
      org,
      { bucket: 'scrape', credits, slot: { id, until: new Date(now.getTime() + lasts) } },
      now,
    );
  const settle = (org: Organization, slotId: string, held: number, charged: number, now = NOON) =>
    ports().usage.settle(org, { slotId, held, ended: ended(charged) }, now);

  test('note that jobs wait only while all slots are taken', async () => {
    const org = storedOrganization({ concurrency: 2 });
    const accounts = ports();
    const note = (at = NOON) => accounts.waitList.noteWaiting(org, at);
    const isListed = async () => (await accounts.waitList.list()).find(({ orgId }) => orgId === org.id);
    expect(await note()).toBe(false);
    const job = (id: string) =>
      accounts.usage.admit(org, { credits: 1, slot: { id, until: later(60 * SECOND_MS) } }, NOON);
    await job('a');
    expect(await note()).toBe(false);
    await job('b');
    expect(await note()).toBe(true);
    expect(await accounts.usage.read(org, NOON)).toMatchObject({
      waiting: { isAwaited: true, at: NOON.getTime() },
    });
    expect(await note(later(SECOND_MS))).toBe(true);
    expect(await accounts.usage.settle(org, { slotId: 'a', held: 1 }, NOON)).toMatchObject({
      waiting: { isAwaited: true },
    });
    expect(await note(later(2 * SECOND_MS))).toBe(false);
    expect(await isListed()).toMatchObject({ since: expect.any(Number) as number });
    await accounts.waitList.clear(org, NOON.getTime());
    expect(await accounts.usage.read(org, NOON)).toMatchObject({ waiting: { isAwaited: true } });
    await accounts.waitList.clear(org, later(SECOND_MS).getTime());
    expect(await accounts.usage.read(org, NOON)).toMatchObject({ waiting: { isAwaited: false } });
  });

  test('free a slot in which nothing ended, or many scrapes of several kinds', async () => {
    const org = storedOrganization({ credits: 100 });
    await take(org, 'empty', 5);
    const none = await ports().usage.settle(org, { slotId: 'empty', held: 5, ended: NO_SCRAPES }, NOON);
    expect([none.slots.inUse, none.credits.used, Object.values(none.credits.days)]).toEqual([{}, 0, [{}]]);
    await take(org, 'many', 20);
    const scrapes = [
      { kind: 'plain', reason: 'page', charged: 1 },
      { kind: 'plain', reason: 'page', charged: 1 },
      { kind: 'rendered', reason: 'page', charged: 5 },
      { kind: 'plain', reason: 'no_page', charged: 0 },
    ] as const;
    const tally = scrapes.reduce(withScrape, NO_SCRAPES);
    const settlement = { slotId: 'many', held: 20, ended: tally };
    for (let again = 0; again < 2; again++) {
      const usage = await ports().usage.settle(org, settlement, NOON);
      expect([usage.slots.inUse, usage.credits.used, usage.credits.available]).toEqual([{}, 7, 93]);
      expect(Object.values(usage.credits.days)).toEqual([
        { plain_page: 2, plain_credits: 2, rendered_page: 1, rendered_credits: 5, plain_no_page: 1 },
      ]);
    }
  });

  test('list an organization until its note is forgotten, unless it was noted again', async () => {
    const org = storedOrganization({ concurrency: 1 });
    const accounts = ports();
    const since = async () => (await accounts.waitList.list()).find(({ orgId }) => orgId === org.id)?.since;
    await accounts.usage.admit(org, { credits: 1, slot: { id: 'a', until: later(60 * SECOND_MS) } }, NOON);
    await accounts.waitList.noteWaiting(org, NOON);
    await expect.poll(since).toBe(NOON.getTime());
    await accounts.waitList.clear(org, NOON.getTime());
    await accounts.waitList.noteWaiting(org, later(SECOND_MS));
    await accounts.waitList.takeOff(org.id, NOON.getTime());
    await expect.poll(since).toBe(later(SECOND_MS).getTime());
    await accounts.waitList.takeOff(org.id, later(SECOND_MS).getTime());
    await expect.poll(since).toBeUndefined();
  });

  test('list an organization before one of its jobs has a slot', async () => {
    const org = storedOrganization({ concurrency: 5 });
    const accounts = ports();
    const since = async () => (await accounts.waitList.list()).find(({ orgId }) => orgId === org.id)?.since;
    const slotOf = (id: string) => ({ credits: 1, slot: { id, until: later(60 * SECOND_MS) } });
    await accounts.usage.admit(org, slotOf('a-chunk#1'), NOON);
    await take(org, 'a-sync-scrape', 1);
    expect(await accounts.usage.read(org, NOON)).not.toMatchObject({ waiting: { isListed: true } });
    const admitted = await accounts.usage.admit(org, slotOf('a-job~1'), NOON);
    expect(admitted.usage).toMatchObject({ waiting: { isListed: true } });
    await expect.poll(since).toBe(NOON.getTime());
    // Listed already, so it is not listed again.
    await accounts.usage.admit(org, slotOf('b-job~1'), later(SECOND_MS));
    expect(await since()).toBe(NOON.getTime());
    await accounts.waitList.unlist(org);
    expect(await accounts.usage.read(org, NOON)).toMatchObject({ waiting: { isListed: false } });
    await accounts.usage.admit(org, slotOf('c-job~1'), later(2 * SECOND_MS));
    await expect.poll(since).toBe(later(2 * SECOND_MS).getTime());
    await accounts.waitList.takeOff(org.id, NOON.getTime());
    expect(await since()).toBe(later(2 * SECOND_MS).getTime());
  });

  test('admit what is free after a document has cost more than the balance had', async () => {
    const org = storedOrganization({ credits: 2 });
    const slot = { id: 'a', until: later(60 * SECOND_MS) };
    await ports().usage.admit(org, { bucket: 'scrape', credits: 1, slot }, NOON);
    const usage = await settle(org, 'a', 1, 4);
    expect(usage).toMatchObject({ credits: { available: -2 } });
    const admitted = (credits: number) =>
      ports().usage.admit(org, { bucket: 'read', credits }, later(SECOND_MS));
    expect(await admitted(0)).toMatchObject({ outcome: 'admitted' });
    expect(await admitted(1)).toMatchObject({ code: 'insufficient_credits' });
  });

  test('take an optional slot only if it is free and nobody waits for it', async () => {
    const org = storedOrganization({ concurrency: 1, credits: 10, rpm: 5 });
    const accounts = ports();
    const until = later(60 * SECOND_MS);
    const submit = (id: string, more: Partial<AdmissionRequest> = {}) =>
      accounts.usage.admit(
        org,
        { bucket: 'scrape', credits: 4, slot: { id: `${id}~1`, until }, isSlotOptional: true, ...more },
        NOON,
      );
    const slots = async () => Object.keys((await accounts.usage.read(org, NOON)).slots.inUse);
    const first = await submit('a');
    expect(first).toMatchObject({ outcome: 'admitted', usage: { credits: { available: 6 } } });
    expect(first.usage.slots.inUse).toHaveProperty('a~1');
    expect(first.usage.slots.syncAt).toBe(0);
    const second = await submit('b');
    expect(second).toMatchObject({ outcome: 'admitted', usage: { credits: { available: 6 } } });
    expect(await slots()).toEqual(['a~1']);
    expect(await accounts.waitList.noteWaiting(org, NOON)).toBe(true);
    await accounts.usage.settle(org, { slotId: 'a~1', held: 4 }, NOON);
    await submit('c');
    expect(await slots()).toEqual([]);
    await accounts.waitList.clear(org, NOON.getTime());
    await submit('d', { key: { id: 'key', creditsPerDay: 3 } });
    expect(await slots()).toEqual([]);
    expect(await submit('e', { credits: 11 })).toMatchObject({ code: 'insufficient_credits' });
    await submit('f', { key: { id: 'key', creditsPerDay: 4 } });
    expect(await slots()).toEqual(['f~1']);
    expect((await accounts.usage.read(org, NOON)).limits.caps?.spent).toEqual({ key: 4 });
    expect(await submit('g')).toMatchObject({ code: 'rate_limited' });
    // Its place in the bucket is taken.
    const drawn = { credits: 4, slot: { id: 'h~1', until }, isSlotOptional: true } as const;
    expect(await accounts.usage.admit(org, drawn, NOON)).toMatchObject({ outcome: 'admitted' });
    expect(await slots()).toEqual(['f~1']);
  });

  test('free no slot of a job when it runs out, for the sweeper does', async () => {
    const org = storedOrganization({ concurrency: 2 });
    const accounts = ports();
    const slotOf = (id: string, until: Date) => ({ credits: 1, slot: { id, until } });
    await accounts.usage.admit(org, slotOf('a-job~1', later(SECOND_MS)), NOON);
    await accounts.usage.admit(org, slotOf('a-chunk#1', later(SECOND_MS)), NOON);
    const muchLater = later(3_600 * SECOND_MS);
    const [first, second] = [
      await accounts.usage.admit(org, slotOf('b-job~1', muchLater), muchLater),
      await accounts.usage.admit(org, slotOf('c-job~1', muchLater), muchLater),
    ];
    expect([first.outcome, second.outcome]).toEqual(['admitted', 'refused']);
    expect(Object.keys((await accounts.usage.read(org, muchLater)).slots.inUse).sort()).toEqual([
      'a-job~1',
      'b-job~1',
    ]);
  });

  test('keep a tenth of the slots for sync scrapes, for a minute after the last one', async () => {
    const org = storedOrganization({ concurrency: 10 });
    const accounts = ports();
    const until = later(600 * SECOND_MS);
    const job = async (id: string, at: Date) =>
      (await accounts.usage.admit(org, { credits: 1, slot: { id, until } }, at)).outcome;
    for (let n = 0; n < 9; n++) expect(await job(`job-${n}`, NOON)).toBe('admitted');
    const sync = await accounts.usage.admit(
      org,
      { bucket: 'scrape', credits: 1, slot: { id: 's', until } },
      NOON,
    );
    expect(sync.outcome).toBe('admitted');
    await accounts.usage.settle(org, { slotId: 's', held: 1 }, NOON);
    expect(await job('job-9', later(59 * SECOND_MS))).toBe('refused');
    expect(await job('job-9', later(60 * SECOND_MS))).toBe('admitted');
    const late = later(61 * SECOND_MS);
    const none = await accounts.usage.admit(
      org,
      { bucket: 'scrape', credits: 1, slot: { id: 't', until } },
      late,
    );
    expect(none).toMatchObject({ outcome: 'refused', code: 'too_many_concurrent' });
    await accounts.usage.settle(org, { slotId: 'job-0', held: 1 }, late);
    expect(await job('job-10', late)).toBe('refused');
  });

  test('store organizations and keys', async () => {
    const org = storedOrganization({ rpm: 7 });
    const key = createApiKey('live', randomBytes);
    const record = {
      id: key.id,
      hash: hashApiKey(key),
      orgId: org.id,
      name: 'first',
      last4: 'abcd',
      status: 'active' as const,
      createdAt: NOON,
    };
    await ports().organizations.save(org);
    await ports().keys.save(record);
    expect(await ports().organizations.find(org.id)).toEqual(org);
    expect(await ports().keys.find(key.id)).toEqual(record);
    expect(await ports().keys.list(org.id)).toEqual([record]);
    expect(await ports().keys.find('nobody')).toBeUndefined();
  });

  test('replace a key while it is active alone', async () => {
    const key = createApiKey('live', randomBytes);
    const names = { id: key.id, hash: hashApiKey(key), orgId: 'org_1', name: 'first', last4: 'abcd' };
    const active = { ...names, status: 'active' as const, createdAt: NOON };
    const accounts = ports();
    expect(await accounts.keys.replace(active)).toBe(false);
    await accounts.keys.save(active);
    expect(await accounts.keys.replace({ ...active, expiresAt: later(60_000) })).toBe(true);
    await accounts.keys.save({ ...active, status: 'revoked' });
    expect(await accounts.keys.replace(active)).toBe(false);
    expect(await accounts.keys.find(key.id)).toMatchObject({ status: 'revoked' });
  });

  test('distinguish keys of the playground from others, to the second', async () => {
    const org = storedOrganization();
    const key = createApiKey('live', randomBytes);
    const forgetAt = later(600_000);
    const record = {
      ...{ id: key.id, hash: hashApiKey(key), orgId: org.id, name: 'Playground', last4: 'abcd' },
      ...{ status: 'active' as const, createdAt: NOON, expiresAt: forgetAt, forgetAt },
    };
    await ports().keys.save(record);
    expect(await ports().keys.list(org.id)).toEqual([record]);
  });

  test('add an organization once, even if two processes add it at the same time', async () => {
    const org = storedOrganization();
    const added = await Promise.all(
      ['one', 'two'].map((name) => ports().organizations.add({ ...org, name })),
    );
    expect(added.sort()).toEqual([false, true]);
    expect(await ports().organizations.add({ ...org, plan: 'business' })).toBe(false);
    expect(await ports().organizations.find(org.id)).toMatchObject({ plan: 'free' });
  });

  test('rename an organization, change nothing else of it, and ignore an unknown one', async () => {
    const org = storedOrganization({ rpm: 7 }, { status: 'suspended' });
    await ports().organizations.save(org);
    await ports().organizations.rename(org.id, 'Analytical Engines');
    expect(await ports().organizations.find(org.id)).toEqual({ ...org, name: 'Analytical Engines' });
    await ports().organizations.rename('org_none', 'Ghost');
    expect(await ports().organizations.find('org_none')).toBeUndefined();
  });

  test('list organizations, oldest first', async () => {
    const young = storedOrganization({}, { createdAt: later(1) });
    const old = storedOrganization({ concurrency: 3 });
    for (const each of [young, old]) await ports().organizations.save(each);
    const listed = await ports().organizations.list();
    expect(listed.filter(({ id }) => [young.id, old.id].includes(id))).toEqual([old, young]);
  });

  test('hold the credits of a running scrape and settle them once', async () => {
    const org = storedOrganization();
    expect(await take(org, 'a', 25)).toMatchObject({
      outcome: 'admitted',
      usage: { credits: { available: 975, used: 0 } },
    });
    expect(await settle(org, 'a', 25, 25)).toMatchObject({
      credits: { available: 975, used: 25 },
      slots: { inUse: {} },
    });
    expect(await settle(org, 'a', 25, 25)).toMatchObject({ credits: { available: 975, used: 25 } });
    await take(org, 'b', 5);
    expect(await settle(org, 'b', 5, 0)).toMatchObject({ credits: { available: 975, used: 25 } });
  });

  test('do not return to the previous month for a slow clock', async () => {
    const org = storedOrganization({ credits: 10 });
    await take(org, 'a', 1, NEXT_MONTH);
    const before = new Date(NEXT_MONTH.getTime() - 5);
    expect(await take(org, 'b', 1, before)).toMatchObject({
      outcome: 'admitted',
      usage: { credits: { period: '2026-12', available: 8 } },
    });
    expect(await settle(org, 'b', 1, 1, before)).toMatchObject({ credits: { available: 8, used: 1 } });
  });

  test('never admit more scrapes than there are credits for', async () => {
    const org = storedOrganization({ credits: 7, concurrency: 100 });
    const admissions = await Promise.all(Array.from({ length: 20 }, (_, i) => take(org, `s${i}`, 1)));
    expect(admissions.filter(({ outcome }) => outcome === 'admitted')).toHaveLength(7);
    expect(
      admissions.filter((a) => a.outcome === 'refused' && a.code === 'insufficient_credits'),
    ).toHaveLength(13);
  });

  test('never admit more scrapes than there are slots', async () => {
    const org = storedOrganization({ concurrency: 3 });
    const admissions = await Promise.all(Array.from({ length: 12 }, (_, i) => take(org, `s${i}`, 1)));
    expect(admissions.filter(({ outcome }) => outcome === 'admitted')).toHaveLength(3);
    expect(await take(org, 'late', 1)).toMatchObject({ code: 'too_many_concurrent' });
  });

  test('never admit more requests than the rate limit', async () => {
    const org = storedOrganization({ rpm: 5 });
    const ask = (now: Date) => ports().usage.admit(org, { bucket: 'scrape', credits: 0 }, now);
    const admissions = await Promise.all(Array.from({ length: 12 }, () => ask(NOON)));
    expect(admissions.filter(({ outcome }) => outcome === 'admitted')).toHaveLength(5);
    expect(await ask(NOON)).toMatchObject({ code: 'rate_limited', retryAfter: 12 });
    expect(await ask(later(12 * SECOND_MS))).toMatchObject({ outcome: 'admitted' });
    expect(await ask(later(13 * SECOND_MS))).toMatchObject({ code: 'rate_limited', retryAfter: 11 });
    expect(await ports().usage.admit(org, { bucket: 'read', credits: 0 }, NOON)).toMatchObject({
      outcome: 'admitted',
    });
  });

  test('extend a slot that is requested again, without holding more credits', async () => {
    const org = storedOrganization({ concurrency: 1 });
    await take(org, 'a', 5);
    const again = await ports().usage.admit(
      org,
      { credits: 5, slot: { id: 'a', until: later(90_000) } },
      NOON,
    );
    expect(again).toMatchObject({ outcome: 'admitted', usage: { credits: { available: 995 } } });
    expect(again.usage.slots.inUse['a']?.until).toBe(later(90_000).getTime());
  });

  test('count a repeated admission towards the rate limit once', async () => {
    const org = storedOrganization({ rpm: 1 });
    await take(org, 'a', 5);
    const again = await take(org, 'a', 5);
    expect(again).toMatchObject({ outcome: 'admitted', usage: { credits: { available: 995 } } });
    expect(await take(org, 'b', 5)).toMatchObject({ code: 'rate_limited', retryAfter: 60 });
  });

  test('release an expired slot and its credits', async () => {
    const org = storedOrganization({ concurrency: 1 });
    await take(org, 'dead', 25);
    expect(await take(org, 'b', 1, later(59 * SECOND_MS))).toMatchObject({
      code: 'too_many_concurrent',
      retryAfter: 1,
    });
    const admitted = await take(org, 'b', 1, later(60 * SECOND_MS));
    expect(admitted).toMatchObject({ outcome: 'admitted', usage: { credits: { available: 999 } } });
    expect(Object.keys(admitted.usage.slots.inUse)).toEqual(['b']);
    expect(await settle(org, 'dead', 25, 25, later(61 * SECOND_MS))).toMatchObject({
      credits: { available: 999, used: 0 },
    });
  });

  const readResult = (org: Organization, id: string, now = NOON, more = {}) => {
    const until = new Date(now.getTime() + 1_000);
    return ports().usage.admit(org, { credits: 0, reader: { id, until, ...more } }, now);
  };

  test('admit as many readers of results as scrapes, and five more', async () => {
    const org = storedOrganization({ concurrency: 2 });
    await take(org, 'scrape', 1);
    const asked = await Promise.all(Array.from({ length: 20 }, (_, i) => readResult(org, `r${i}`)));
    expect(asked.filter(({ outcome }) => outcome === 'admitted')).toHaveLength(7);
    expect(asked.find(({ outcome }) => outcome === 'refused')).toMatchObject({
      code: 'too_many_concurrent',
      retryAfter: 1,
    });
    expect(await take(org, 'another', 1)).toMatchObject({ outcome: 'admitted' });
  });

  test('admit no more than 20 readers, whatever the plan', async () => {
    const org = storedOrganization({ concurrency: 200 });
    const asked = await Promise.all(Array.from({ length: 30 }, (_, i) => readResult(org, `r${i}`)));
    expect(asked.filter(({ outcome }) => outcome === 'admitted')).toHaveLength(20);
  });

  test.each([
    [1, 1],
    [4, 3],
    [200, 10],
  ])('with %i scrapes at once admit %i waits, beside readers', async (concurrency, waits) => {
    const org = storedOrganization({ concurrency });
    const wait = (id: string) => readResult(org, id, NOON, { isWaiting: true });
    const asked = await Promise.all(Array.from({ length: 12 }, (_, i) => wait(`w${i}`)));
    expect(asked.filter(({ outcome }) => outcome === 'admitted')).toHaveLength(waits);
    expect(await readResult(org, 'r')).toMatchObject({ outcome: 'admitted' });
    await ports().usage.release(org, 'r');
    expect(await wait('late')).toMatchObject({ code: 'too_many_concurrent' });
  });

  test('count a repeated admission of a reader once', async () => {
    const org = storedOrganization();
    await readResult(org, 'a');
    const again = await readResult(org, 'a');
    expect([again.outcome, Object.keys(again.usage.slots.readers)]).toEqual(['admitted', ['a']]);
  });

  test('release a reader once, and a dead reader when it expires', async () => {
    const org = storedOrganization({ concurrency: 1 });
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) await readResult(org, id);
    expect(await readResult(org, 'late')).toMatchObject({ code: 'too_many_concurrent' });
    for (let time = 0; time < 2; time++) await ports().usage.release(org, 'a');
    expect(await readResult(org, 'late')).toMatchObject({ outcome: 'admitted' });
    const admitted = await readResult(org, 'next', later(SECOND_MS));
    expect([admitted.outcome, Object.keys(admitted.usage.slots.readers)]).toEqual(['admitted', ['next']]);
  });

  test('admit a reader before any scrape, in every month', async () => {
    const org = storedOrganization();
    expect(await readResult(org, 'a')).toMatchObject({ outcome: 'admitted' });
    expect(await readResult(org, 'b', NEXT_MONTH)).toMatchObject({ outcome: 'admitted' });
    await ports().usage.release(storedOrganization(), 'nobody');
  });

  test('start a new month once', async () => {
    const org = storedOrganization({ credits: 100, concurrency: 50 });
    await take(org, 'a', 10);
    await settle(org, 'a', 10, 10);
    const admissions = await Promise.all(
      Array.from({ length: 8 }, (_, i) => take(org, `n${i}`, 1, NEXT_MONTH)),
    );
    expect(admissions.every(({ outcome }) => outcome === 'admitted')).toBe(true);
    expect(await ports().usage.read(org, NEXT_MONTH)).toMatchObject({
      credits: { period: '2026-12', available: 92, used: 0 },
    });
  });

  test('settle a scrape in the month that it began in', async () => {
    const org = storedOrganization({ credits: 100 });
    const before = new Date('2026-11-30T23:59:59Z');
    await take(org, 'over', 10, before);
    await take(org, 'new', 1, NEXT_MONTH);
    expect(await settle(org, 'over', 10, 10, NEXT_MONTH)).toMatchObject({
      credits: { available: 99, used: 0 },
    });
    await take(org, 'untouched', 5, NEXT_MONTH);
    expect(await settle(org, 'untouched', 5, 5, NEXT_MONTH)).toMatchObject({
      credits: { available: 94, used: 5 },
    });
  });

  test('settle a scrape over midnight before the new month has started', async () => {
    const org = storedOrganization({ credits: 100 });
    await take(org, 'over', 10, new Date('2026-11-30T23:59:59Z'));
    await settle(org, 'over', 10, 10, NEXT_MONTH);
    expect(await ports().usage.read(org, NEXT_MONTH)).toMatchObject({
      credits: { available: 100, used: 0 },
      slots: { inUse: {} },
    });
  });

  const grant = (org: Organization, id: string, credits: number, now = NOON) =>
    ports().usage.grant(org, { id, credits }, now);

  test('grant credits once, to organizations that have used some or none', async () => {
    const org = storedOrganization({ credits: 10 });
    expect(await grant(org, 'gift', 5)).toMatchObject({
      credits: { available: 15, used: 0, grants: { gift: 5 } },
    });
    await take(org, 'a', 12);
    expect(await settle(org, 'a', 12, 12)).toMatchObject({ credits: { available: 3, used: 12 } });
    expect(await grant(org, 'gift', 5)).toMatchObject({ credits: { available: 3 } });
    expect(await grant(org, 'more', 7)).toMatchObject({
      credits: { available: 10, grants: { gift: 5, more: 7 } },
    });
  });

  test('give credits back once for each turn, and only credits of this month', async () => {
    const org = storedOrganization({ credits: 10 });
    const refund = (turn: number, now = NOON) => {
      const ended = { charged: -2, counts: { plain_page: -2, plain_credits: -2, plain_duplicate: 2 } };
      return ports().usage.giveBack(org, { id: 'crawl', turn, period: '2026-11', ended }, now);
    };
    expect(await refund(0)).toMatchObject({ credits: { available: 10, used: 0 } });
    await take(org, 'a', 5);
    await settle(org, 'a', 5, 5);
    expect(await refund(1)).toMatchObject({ credits: { available: 7, used: 3 } });
    expect(await refund(1)).toMatchObject({ credits: { available: 7, used: 3 } });
    await Promise.all([refund(2), refund(2)]);
    const after = await refund(1);
    expect(after).toMatchObject({ credits: { available: 9, used: 1 } });
    expect(after.credits.days[after.credits.day]).toMatchObject({ plain_duplicate: 4 });
    expect(await refund(3, NEXT_MONTH)).toMatchObject({ credits: { available: 10, used: 0 } });
  });

  test('remember a refund for an hour, as its size costs in every write', async () => {
    const org = storedOrganization({ credits: 20 });
    await take(org, 'a', 9);
    await settle(org, 'a', 9, 9);
    const refund = (id: string, now: Date) => {
      const ended = { charged: -1, counts: { plain_duplicate: 1 } };
      return ports().usage.giveBack(org, { id, turn: 1, period: '2026-11', ended }, now);
    };
    await refund('first', NOON);
    await refund('second', later(50 * 60_000));
    const { credits } = await refund('third', later(61 * 60_000));
    expect(Object.keys(credits.refunds ?? {}).sort()).toEqual(['second', 'third']);
    expect(credits).toMatchObject({ used: 6, available: 14 });
  });

  test('lose no credit of grants and scrapes at the same time', async () => {
    const org = storedOrganization({ credits: 20, concurrency: 50 });
    const scrapes = Array.from({ length: 10 }, async (_, i) => {
      await take(org, `s${i}`, 2);
      await settle(org, `s${i}`, 2, 1);
    });
    const grants = Array.from({ length: 10 }, (_, i) => grant(org, `g${i}`, 3));
    await Promise.all([...scrapes, ...grants]);
    expect(await ports().usage.read(org, NOON)).toMatchObject({
      credits: { available: 40, used: 10 },
      slots: { inUse: {} },
    });
  });

  test('forget grants with the month that they were for', async () => {
    const org = storedOrganization({ credits: 10 });
    await grant(org, 'november', 5);
    expect(await ports().usage.read(org, NEXT_MONTH)).toMatchObject({
      credits: { available: 10, grants: {} },
    });
    expect(await grant(org, 'december', 1, NEXT_MONTH)).toMatchObject({
      credits: { period: '2026-12', available: 11, grants: { december: 1 } },
    });
    expect(await grant(org, 'late', 1, NOON)).toMatchObject({
      credits: { period: '2026-12', available: 12 },
    });
  });

  test('show the usage of a new organization', async () => {
    expect(await ports().usage.read(storedOrganization(), NOON)).toMatchObject({
      credits: { period: '2026-11', available: 1_000, used: 0 },
    });
  });
});
