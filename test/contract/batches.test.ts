import { v7 } from 'uuid';
import { beforeEach, expect, test } from 'vitest';
import type { Batch } from '../../shared/contract/batches/batch.ts';
import { newBatch } from '../../shared/domain/batches/state.ts';
import { ended, newUpload, started, type UploadBatch } from '../../shared/domain/batches/upload-state.ts';
import { atOnce } from '../../shared/time/at-once.ts';
import { describePorts } from '../support/ports.ts';

const NOON = new Date('2026-11-21T12:00:00Z');
const at = (seconds: number) => new Date(NOON.getTime() + seconds * 1_000);

describePorts('batches', (ports) => {
  let orgId: string;
  beforeEach(() => {
    orgId = `org_${v7()}`;
  });

  const make = (fields: Partial<Batch> = {}): Batch => ({
    ...newBatch({ id: v7(), orgId, keyId: 'k', requestId: 'r', total: 3, tags: ['a'] }, NOON),
    ...fields,
  });
  const stored = async (batch = make()) => {
    expect(await ports().batches.create(batch)).toBe(true);
    return batch;
  };
  const accepted = async (batch = make()) => {
    await stored(batch);
    expect(await ports().batches.accept(batch)).toBe(true);
    return batch;
  };
  const idsOf = (batches: Batch[]) => batches.map(({ id }) => id);
  const open = async () => idsOf(await ports().batches.open(orgId, 10));
  const due = async (now: Date) => {
    const all = await ports().batches.due(now, 1_000);
    return idsOf(all.filter((batch) => batch.orgId === orgId));
  };

  test('are created once, and found as they were', async () => {
    const batch = await stored();
    expect(await ports().batches.create({ ...batch, total: 9 })).toBe(false);
    expect(await ports().batches.find(batch.id)).toEqual(batch);
    expect(await ports().batches.find(v7())).toBeUndefined();
  });

  test('are open once they were accepted, the earliest deadline first', async () => {
    const late = await accepted(make({ deadlineAt: at(900) }));
    const early = await accepted(make({ deadlineAt: at(60) }));
    await stored();
    expect(await open()).toEqual([early.id, late.id]);
    expect(idsOf(await ports().batches.open(orgId, 1))).toEqual([early.id]);
    expect(await ports().batches.accept(late)).toBe(false);
  });

  test("that wait for their upload are counted until they begin, end or expire, and are nobody else's", async () => {
    const waiting = (id: string, now = NOON) => {
      const ids = { id, orgId, keyId: 'k', requestId: 'r', tags: undefined, webhook: undefined };
      return newUpload({ ...ids, upload: { defaults: {} } }, now);
    };
    const awaited = async (now = NOON, limit = 10) =>
      idsOf(await ports().batches.awaited(orgId, now, limit)).sort();
    const ids = [v7(), v7(), v7()].sort();
    const [first, second] = await Promise.all(ids.map(async (id) => stored(waiting(id))));
    await stored({ ...waiting(v7()), orgId: `org_${v7()}` });
    expect(await awaited()).toEqual(ids);
    expect((await awaited(NOON, 2)).length).toBe(2);
    expect([await open(), await due(at(25 * 60 * 60))]).toEqual([[], []]);
    await ports().batches.advance(started(first as UploadBatch, 'v', NOON), 'waiting_for_upload');
    await ports().batches.advance(ended(second as UploadBatch, NOON), 'waiting_for_upload');
    expect(await awaited()).toEqual([ids[2]]);
    expect(await awaited(at(24 * 60 * 60 + 1))).toEqual([]);
  });

  test('are abandoned instead, once, and then discarded', async () => {
    const [batch, other] = [await stored(), await accepted()];
    const later = at(24 * 60 * 60);
    expect(await due(later)).toEqual([batch.id]);
    await ports().batches.discard(batch);
    expect(await ports().batches.find(batch.id)).toBeDefined();
    expect(await ports().batches.abandon(batch, at(900))).toBe(true);
    expect(await ports().batches.abandon(batch, at(901))).toBe(true);
    expect(await ports().batches.accept(batch)).toBe(false);
    expect(await ports().batches.abandon(other, at(900))).toBe(false);
    expect([await due(at(900)), await due(at(901))]).toEqual([[], [batch.id]]);
    await ports().batches.discard(batch);
    await ports().batches.discard(other);
    expect(await ports().batches.find(batch.id)).toBeUndefined();
    expect(await ports().batches.find(other.id)).toBeDefined();
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

  test('count each job once, and say when all have ended', async () => {
    const batch = await accepted();
    const { id, total } = batch;
    const count = (index: number, outcome: number | 'failed') =>
      ports().batches.count({ id, index, total }, outcome, at(99));
    expect(await ports().batches.progress(batch)).toEqual({ completed: new Map(), failed: new Set() });
    expect([await count(2, 5), await count(2, 5), await count(0, 'failed')]).toEqual([false, false, false]);
    expect(await ports().batches.progress(batch)).toEqual({
      completed: new Map([[2, 5]]),
      failed: new Set([0]),
    });
    expect([await count(1, 0), await count(1, 0)]).toEqual([true, true]);
    expect(await ports().batches.progress(batch)).toEqual({
      completed: new Map([
        [1, 0],
        [2, 5],
      ]),
      failed: new Set([0]),
    });
  });

  test('count 250 jobs that end at the same time', async () => {
    const batch = await accepted(make({ total: 250 }));
    const { id, total } = batch;
    const indexes = Array.from({ length: total }, (_, index) => index);
    const isLast: boolean[] = [];
    await atOnce(20, indexes, async (index) => {
      const outcome = index % 3 === 0 ? 'failed' : 1;
      isLast.push(await ports().batches.count({ id, index, total }, outcome, at(99)));
    });
    expect(isLast.filter(Boolean)).toHaveLength(1);
    const { completed, failed } = await ports().batches.progress(batch);
    expect([completed.size, failed.size]).toEqual([166, 84]);
    expect([...completed.keys(), ...failed].sort((a, b) => a - b)).toEqual(indexes);
    expect(await ports().batches.find(id)).toMatchObject({ total: 250 });
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
