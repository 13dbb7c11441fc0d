import { v7 } from 'uuid';
import { beforeEach, expect, test } from 'vitest';
import type { Batch } from '../../shared/contract/batches/batch.ts';
import { accepted as acceptable, ended, newBatch, started } from '../../shared/domain/batches/state.ts';
import { describePorts } from '../support/world/ports.ts';

const NOON = new Date('2026-11-21T12:00:00Z');
const at = (seconds: number) => new Date(NOON.getTime() + seconds * 1_000);

describePorts('batches', (ports) => {
  let orgId: string;
  beforeEach(() => {
    orgId = `org_${v7()}`;
  });

  const waiting = (now = NOON): Batch =>
    newBatch({ id: v7(), orgId, keyId: 'k', requestId: 'r', tags: ['a'], upload: { defaults: {} } }, now);
  const make = (fields: Partial<Batch> = {}): Batch => ({
    ...started(waiting(), 'v', NOON),
    total: 3,
    ...fields,
  });
  const stored = async (batch = make()) => {
    expect(await ports().batches.create(batch)).toBe(true);
    return batch;
  };
  const accepted = async (batch = make()) => {
    await stored(batch);
    const divided = acceptable(batch, { lines: 3, chunks: 2 }, NOON);
    expect(await ports().batches.advance(divided, 'reading')).toBe(true);
    return divided;
  };
  const idsOf = (batches: Batch[]) => batches.map(({ id }) => id);
  const open = async () => idsOf(await ports().batches.open(orgId, 10));
  const due = async (now: Date) => {
    const all = await ports().batches.due(now, 1_000);
    return idsOf(all.filter((batch) => batch.orgId === orgId));
  };

  test('are created once, and found unchanged', async () => {
    const batch = await stored();
    expect(await ports().batches.create({ ...batch, total: 9 })).toBe(false);
    expect(await ports().batches.find(batch.id)).toEqual(batch);
    expect(await ports().batches.find(v7())).toBeUndefined();
  });

  test('keep the schema of their defaults unchanged', async () => {
    const defaults = { extract_schema: { type: 'object', properties: { '': { maximum: 1e300 } } }, wait: 1 };
    const batch = await stored(make({ upload: { ...make().upload, defaults } }));
    expect((await ports().batches.find(batch.id))?.upload.defaults).toEqual(defaults);
  });

  test('are open once they were accepted, the earliest deadline first', async () => {
    const late = await accepted(make({ deadlineAt: at(900) }));
    const early = await accepted(make({ deadlineAt: at(60) }));
    await stored();
    expect(await open()).toEqual([early.id, late.id]);
    expect(idsOf(await ports().batches.open(orgId, 1))).toEqual([early.id]);
    expect(await ports().batches.advance(late, 'reading')).toBe(false);
  });

  test("that wait for their upload are counted until they begin, end or expire, and are nobody else's", async () => {
    const awaited = async (now = NOON, limit = 10) =>
      idsOf(await ports().batches.awaited(orgId, now, limit)).sort();
    const [first, second, third] = [
      await stored(waiting()),
      await stored(waiting()),
      await stored(waiting()),
    ];
    const ids = idsOf([first, second, third]).sort();
    await stored({ ...waiting(), orgId: `org_${v7()}` });
    expect(await awaited()).toEqual(ids);
    expect((await awaited(NOON, 2)).length).toBe(2);
    expect([await open(), await due(at(25 * 60 * 60))]).toEqual([[], []]);
    await ports().batches.advance(started(first, 'v', NOON), 'waiting_for_upload');
    await ports().batches.advance(ended(second, NOON), 'waiting_for_upload');
    expect(await awaited()).toEqual([third.id]);
    expect(await awaited(at(24 * 60 * 60 + 1))).toEqual([]);
  });

  test('are due while they are read, until they are accepted or cancelled, and can be put off', async () => {
    const [reading, other] = [await stored(), await stored()];
    const all = idsOf([reading, other]).sort();
    expect([(await due(at(89))).sort(), (await due(at(90))).sort()]).toEqual([[], all]);
    await ports().batches.postpone(reading, at(300));
    expect([await due(at(299)), (await due(at(300))).sort()]).toEqual([[other.id], all]);
    await ports().batches.advance(acceptable(reading, { lines: 3, chunks: 2 }, NOON), 'reading');
    const cancelled = ended(other, at(1));
    expect(await ports().batches.advance(cancelled, 'reading')).toBe(true);
    expect(await ports().batches.advance(acceptable(other, { lines: 3, chunks: 2 }, NOON), 'reading')).toBe(
      false,
    );
    for (const batch of [reading, other]) await ports().batches.postpone(batch, at(10));
    expect([await open(), await due(at(10)), await due(at(61))]).toEqual([[reading.id], [], [other.id]]);
    expect(await ports().batches.find(other.id)).toEqual(cancelled);
  });

  test('are cancelled at the first time, and due again as often as wanted', async () => {
    const batch = await accepted();
    expect(await ports().batches.cancel(batch, at(1), at(61))).toMatchObject({ cancelledAt: at(1) });
    expect(await open()).toEqual([]);
    expect([await due(at(60)), await due(at(61))]).toEqual([[], [batch.id]]);
    expect(await ports().batches.cancel(batch, at(62), at(122))).toMatchObject({ cancelledAt: at(1) });
    expect(await due(at(61))).toEqual([]);
    await ports().batches.complete(batch.id, at(70));
    await ports().batches.complete(batch.id, at(71));
    expect(await due(at(9_999))).toEqual([]);
    expect(await ports().batches.find(batch.id)).toMatchObject({ cancelledAt: at(1), completedAt: at(70) });
    expect(await ports().batches.cancel(batch, at(80), at(140))).toBeUndefined();
    expect(await ports().batches.cancel(await stored(), at(80), at(140))).toBeUndefined();
  });

  test('are listed newest first from any of them', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 5; n++)
      ids.unshift((await accepted(make({ id: v7({ msecs: at(n).getTime() }) }))).id);
    const first = await ports().batches.list(orgId, { limit: 3 });
    expect([idsOf(first.batches), first.next]).toEqual([ids.slice(0, 3), ids[2]]);
    const rest = await ports().batches.list(orgId, { before: first.next, limit: 3 });
    expect([idsOf(rest.batches), rest.next]).toEqual([ids.slice(3), undefined]);
  });
});
