import { v7 } from 'uuid';
import { expect, test } from 'vitest';
import type { Delivery, Endpoint } from '../../shared/contract/webhooks/webhook.ts';
import { MAX_AT_ONCE } from '../../shared/domain/webhooks/receiver.ts';
import type { AttemptPlace } from '../../shared/ports/webhooks.ts';
import { ATTEMPTS_PER_ORGANIZATION } from '../support/world/in-memory-webhooks.ts';
import { newOrganization } from '../support/world/organization.ts';
import { NOON } from '../support/world/jobs.ts';
import { describePorts } from '../support/world/ports.ts';

const MINUTE_MS = 60_000;
const after = (ms: number) => new Date(NOON.getTime() + ms);

const endpointOf = (orgId: string, more: Partial<Endpoint> = {}): Endpoint => ({
  id: v7(),
  orgId,
  url: 'https://example.com/',
  events: ['job.completed'],
  secrets: [{ sealed: 'a' }, { sealed: 'b', until: after(1_000) }],
  enabledAt: NOON,
  createdAt: NOON,
  version: 0,
  ...more,
});

const deliveryOf = (orgId: string, endpointId: string, more: Partial<Delivery> = {}): Delivery => ({
  id: v7(),
  orgId,
  endpointId,
  type: 'job.completed',
  body: '{}',
  status: 'pending',
  attempts: [{ at: NOON, ms: 5, status: 500 }],
  tries: 1,
  createdAt: NOON,
  dueAt: NOON,
  nextAttemptAt: NOON,
  expiresAt: after(MINUTE_MS),
  version: 0,
  ...more,
});

describePorts('endpoints', (ports) => {
  test('belong to their organization, the oldest first', async () => {
    const { webhooks } = ports();
    const [orgId, foreign] = [v7(), v7()];
    const [first, second] = [endpointOf(orgId), endpointOf(orgId)];
    expect(await webhooks.add(second)).toBe(true);
    expect(await webhooks.add(first)).toBe(true);
    expect(await webhooks.add({ ...first, url: 'https://other.example/' })).toBe(false);
    expect(await webhooks.list(orgId)).toEqual([first, second]);
    expect(await webhooks.find(orgId, first.id)).toEqual(first);
    expect(await webhooks.find(foreign, first.id)).toBeUndefined();
    expect(await webhooks.list(foreign)).toEqual([]);
    await webhooks.remove(orgId, first.id);
    expect(await webhooks.list(orgId)).toEqual([second]);
  });

  test('change only from the state that was read', async () => {
    const { webhooks } = ports();
    const endpoint = endpointOf(v7());
    await webhooks.add(endpoint);
    const changed = { ...endpoint, disabled: { by: 'gone', at: NOON } as const, version: 1 };
    expect(await webhooks.replace(endpoint, changed)).toBe(true);
    expect(await webhooks.replace(endpoint, { ...endpoint, version: 1 })).toBe(false);
    expect(await webhooks.find(endpoint.orgId, endpoint.id)).toEqual(changed);
    await webhooks.remove(endpoint.orgId, endpoint.id);
    expect(await webhooks.replace(changed, endpoint)).toBe(false);
  });
});

describePorts('deliveries', (ports) => {
  test('are added once and changed from the state that was read', async () => {
    const { deliveries } = ports();
    const delivery = deliveryOf(v7(), 'default', { url: 'https://example.com/?a' });
    expect(await deliveries.add(delivery)).toBe(true);
    expect(await deliveries.add({ ...delivery, body: '{"b":1}' })).toBe(false);
    expect(await deliveries.find(delivery)).toEqual(delivery);
    expect(await deliveries.find({ ...delivery, endpointId: v7() })).toBeUndefined();
    const ended = { ...delivery, status: 'delivered', dueAt: undefined, version: 1 } as const;
    expect(await deliveries.replace(delivery, ended)).toBe(true);
    expect(await deliveries.replace(delivery, { ...delivery, version: 1 })).toBe(false);
    expect(await deliveries.find(delivery)).toMatchObject({ status: 'delivered', version: 1 });
  });

  test('of an endpoint are listed newest first, page by page', async () => {
    const { deliveries } = ports();
    const [orgId, endpointId] = [v7(), v7()];
    const all = Array.from({ length: 5 }, () => deliveryOf(orgId, endpointId));
    for (const each of all) await deliveries.add(each);
    await deliveries.add(deliveryOf(orgId, v7()));
    const ids: string[] = [];
    let before: string | undefined;
    do {
      const page = await deliveries.list(orgId, endpointId, { before, limit: 2 });
      ids.push(...page.deliveries.map(({ id }) => id));
      before = page.next;
    } while (before !== undefined);
    expect(ids).toEqual(
      all
        .map(({ id }) => id)
        .sort()
        .reverse(),
    );
  });

  test('are due from their time on, and never once they have ended', async () => {
    const { deliveries } = ports();
    const orgId = v7();
    const due = deliveryOf(orgId, v7());
    const later = deliveryOf(orgId, v7(), { dueAt: after(MINUTE_MS) });
    const ended = deliveryOf(orgId, v7(), { dueAt: undefined, status: 'failed' });
    for (const each of [due, later, ended]) await deliveries.add(each);
    const found = async (now: Date) =>
      (await deliveries.due(now, 1_000)).filter((key) => key.orgId === orgId).map(({ id }) => id);
    expect(await found(NOON)).toEqual([due.id]);
    expect((await found(after(MINUTE_MS))).sort()).toEqual([due.id, later.id].sort());
    await deliveries.replace(due, { ...due, dueAt: undefined, version: 1 });
    expect(await found(NOON)).toEqual([]);
  });
});

describePorts('receivers', (ports) => {
  const until = after(MINUTE_MS);
  const ok = { isSuccess: true, averageMs: 0 };
  const failed = { isSuccess: false, averageMs: 0 };
  const placeAt = (orgId = v7(), receiver = v7()) => ({ orgId, receiver, deliveryId: v7() });
  const begun = { outcome: 'begun', averageMs: 0, isCrowded: false };

  test('take ten attempts at once, each delivery once', async () => {
    const { receivers } = ports();
    const { orgId, receiver } = placeAt();
    const begin = (place: AttemptPlace) => receivers.begin(place, until, NOON);
    const places = Array.from({ length: 2 * MAX_AT_ONCE }, () => placeAt(orgId, receiver));
    const outcomes = (await Promise.all(places.map(begin))).map(({ outcome }) => outcome);
    const countOf = (wanted: string) => outcomes.filter((outcome) => outcome === wanted).length;
    expect(countOf('begun')).toBeLessThanOrEqual(MAX_AT_ONCE);
    // On a busy machine the SDK repeats a write, and finds that its own place is taken.
    expect(countOf('begun') + countOf('taken')).toBeGreaterThanOrEqual(MAX_AT_ONCE);
    const refused = outcomes.indexOf('full');
    const at = places[outcomes.indexOf('begun')] ?? placeAt();
    expect(await begin(at)).toEqual({ outcome: 'taken' });
    await receivers.end(at, ok, NOON);
    expect(await begin(places[refused] ?? placeAt())).toMatchObject({ outcome: 'begun' });
    expect(await begin(placeAt(orgId, receiver))).toEqual({ outcome: 'full' });
    const other = { ...at, receiver: v7() };
    for (const outcome of ['begun', 'taken']) expect(await begin(other)).toMatchObject({ outcome });
  });

  test('of one organization have so many attempts at once, however many they are', async () => {
    const { receivers } = ports();
    const { orgId } = placeAt();
    const begin = (place: AttemptPlace) => receivers.begin(place, until, NOON);
    const places = Array.from({ length: 4 }, () => v7()).flatMap((receiver) =>
      Array.from({ length: MAX_AT_ONCE }, () => placeAt(orgId, receiver)),
    );
    const ended = await Promise.all(places.map(async (place) => ({ place, ...(await begin(place)) })));
    const taken = ended.filter(({ outcome }) => outcome !== 'full');
    expect(taken).toHaveLength(ATTEMPTS_PER_ORGANIZATION);
    const calm = taken.filter((each) => 'isCrowded' in each && !each.isCrowded);
    expect(calm.length).toBeGreaterThan(0);
    expect(calm.length).toBeLessThanOrEqual(Math.floor(ATTEMPTS_PER_ORGANIZATION / 2));
    expect(await begin(placeAt())).toEqual(begun);
    const [first, second] = taken.map(({ place }) => place);
    if (!first || !second) throw new Error('No attempt has begun.');
    await receivers.end(first, ok, NOON);
    expect(await begin(placeAt(orgId))).toMatchObject({ outcome: 'begun' });
    expect(await begin(placeAt(orgId))).toEqual({ outcome: 'full' });
    // A refusal leaves no place taken.
    await receivers.end(second, ok, NOON);
    expect(await begin(placeAt(orgId))).toMatchObject({ outcome: 'begun' });
  });

  test('that are full take no place of their organization', async () => {
    const { receivers } = ports();
    const { orgId, receiver } = placeAt();
    const begin = (place: AttemptPlace) => receivers.begin(place, until, NOON);
    for (let n = 0; n < ATTEMPTS_PER_ORGANIZATION + MAX_AT_ONCE; n += 1)
      await begin(placeAt(orgId, receiver));
    expect(await begin(placeAt(orgId))).toMatchObject({ outcome: 'begun' });
  });

  test('free the places of dead processes', async () => {
    const { receivers } = ports();
    const { orgId, receiver } = placeAt();
    const places = Array.from({ length: MAX_AT_ONCE }, () => placeAt(orgId, receiver));
    for (const place of places) await receivers.begin(place, until, NOON);
    const later = after(2 * MINUTE_MS);
    for (const place of [places[0] ?? placeAt(), placeAt(orgId, receiver)])
      expect(await receivers.begin(place, later, until)).toEqual(begun);
  });

  test('take one attempt at a time while all fail, and know since when', async () => {
    const { receivers } = ports();
    const first = placeAt();
    const second = placeAt(first.orgId, first.receiver);
    const begin = (place: AttemptPlace) => receivers.begin(place, until, NOON);
    await begin(first);
    expect(await receivers.end(first, failed, NOON)).toEqual(NOON);
    await begin(first);
    expect(await begin(second)).toEqual({ outcome: 'full' });
    expect(await receivers.end(first, failed, after(5_000))).toEqual(NOON);
    await begin(first);
    expect(await receivers.end(first, ok, after(6_000))).toBeUndefined();
    expect(await begin(first)).toEqual(begun);
    expect(await begin(second)).toEqual(begun);
    expect(await receivers.end(first, failed, after(7_000))).toEqual(after(7_000));
  });

  test('know how long attempts take on average', async () => {
    const { receivers } = ports();
    const place = placeAt();
    await receivers.begin(place, until, NOON);
    await receivers.end(place, { isSuccess: true, averageMs: 5_040 }, NOON);
    expect(await receivers.begin(place, until, NOON)).toEqual({ ...begun, averageMs: 5_040 });
  });
});

describePorts('usage', (ports) => {
  const organizationIn = async () => {
    const accounts = ports();
    const { org_id: id } = await newOrganization({ ...accounts, now: () => NOON, newId: v7 });
    const organization = await accounts.organizations.find(id);
    if (organization === undefined) throw new Error('The organization is gone.');
    return { accounts, organization };
  };

  test('knows the types of events that endpoints receive, before and after its first scrape', async () => {
    const { accounts, organization } = await organizationIn();
    expect((await accounts.usage.read(organization, NOON)).events.types).toEqual(new Set());
    await accounts.notes.noteEvents(organization, [], NOON);
    await accounts.notes.noteEvents(organization, ['job.failed'], NOON);
    await accounts.notes.noteEvents(organization, ['credits.low', 'job.failed'], NOON);
    const usage = await accounts.usage.read(organization, NOON);
    expect(usage.events.types).toEqual(new Set(['credits.low', 'job.failed']));
    const slot = { id: v7(), until: after(MINUTE_MS) };
    await accounts.usage.admit(organization, { credits: 1, slot }, NOON);
    const settled = await accounts.usage.settle(organization, { slotId: slot.id, held: 1 }, NOON);
    expect(settled.events).toEqual(usage.events);
    expect(settled.credits.available).toBe(usage.credits.available);
  });

  test('keeps when a level was first reached, and the last reported level', async () => {
    const { accounts, organization } = await organizationIn();
    await accounts.notes.noteEvents(organization, ['credits.low'], NOON);
    const first = await accounts.notes.markLow(organization, '2026-11#080', NOON);
    expect(await accounts.notes.markLow(organization, '2026-11#080', after(5_000))).toBe(first);
    await accounts.notes.reportLow(organization, first);
    const second = await accounts.notes.markLow(organization, '2026-11#100', after(6_000));
    expect(second > first).toBe(true);
    await accounts.notes.reportLow(organization, second);
    await accounts.notes.reportLow(organization, first);
    expect(await accounts.usage.read(organization, NOON)).toMatchObject({
      events: { low: second, lowReported: second },
    });
  });
});
