import { v7 } from 'uuid';
import { beforeEach, expect, test } from 'vitest';
import type { Batch } from '../../shared/contract/batches/batch.ts';
import type { Chunk } from '../../shared/contract/batches/chunk.ts';
import { NO_SCRAPES } from '../../shared/domain/accounts/credits/usage-days.ts';
import {
  claimChunk,
  failRest,
  newChunk,
  released,
  withWork,
} from '../../shared/domain/batches/chunk-state.ts';
import { newBatch, started } from '../../shared/domain/batches/state.ts';
import { describePorts } from '../support/world/ports.ts';

const NOON = new Date('2026-11-21T12:00:00Z');
const at = (seconds: number) => new Date(NOON.getTime() + seconds * 1_000);

describePorts('chunks', (ports) => {
  let batch: Batch;
  beforeEach(() => {
    const upload = { defaults: {} };
    const made = newBatch({ id: v7(), orgId: `org_${v7()}`, keyId: 'k', requestId: 'r', upload }, NOON);
    batch = started(made, 'v', NOON);
  });

  const make = (index: number) =>
    newChunk(batch, { index, at: index * 50, bytes: 50, lines: 2, firstLine: 1 });
  const stored = async (index: number) => {
    const chunk = make(index);
    expect(await ports().chunks.create(chunk)).toBe(true);
    return chunk;
  };
  const idsOf = (chunks: readonly Chunk[]) => chunks.map(({ id }) => id).sort();
  const waiting = async () => idsOf(await ports().chunks.waiting(batch, 100));
  const due = async (now: Date) => {
    const all = await ports().chunks.due(now, 1_000);
    return idsOf(all.filter(({ batchId }) => batchId === batch.id));
  };
  const turn = {
    next: { line: 2, at: 25 },
    retries: [{ line: 1, at: 0, bytes: 25, attempts: 1 }],
    completed: 1,
    failed: 0,
    invalid: 0,
    charged: 1,
    verdicts: { page: 1 },
    part: { lines: 1, bytes: 100 },
    held: 2,
    retried: 1,
    tally: { charged: 1, counts: { plain_page: 1, plain_credits: 1 } },
  };

  test('are created once, and found unchanged', async () => {
    const chunk = await stored(0);
    expect(await ports().chunks.create({ ...chunk, lines: 9 })).toBe(false);
    expect(await ports().chunks.find(chunk.id)).toEqual(chunk);
    expect(await ports().chunks.findAll([chunk.id, v7()])).toEqual([chunk]);
    expect(await ports().chunks.find(v7())).toBeUndefined();
  });

  test('wait in their batch, and are the sweeper’s while somebody has them', async () => {
    const [first, second] = [await stored(0), await stored(1)];
    expect(await waiting()).toEqual(idsOf([first, second]));
    expect(await due(at(999_999))).toEqual([]);
    const owned = claimChunk(first, at(60), 2);
    expect(await ports().chunks.replace(first, owned)).toBe(true);
    expect(await ports().chunks.replace(first, owned)).toBe(false);
    expect([await waiting(), await due(at(59)), await due(at(60))]).toEqual([[second.id], [], [first.id]]);
    const committed = withWork(owned, turn, at(30));
    expect(await ports().chunks.replace(owned, committed)).toBe(true);
    expect(await ports().chunks.find(first.id)).toEqual(committed);
    expect(await due(at(90))).toEqual([first.id]);
    const back = released(committed, batch, at(45));
    expect(await ports().chunks.replace(committed, back)).toBe(true);
    expect([await ports().chunks.find(first.id), await due(at(999_999))]).toEqual([back, []]);
    expect(await waiting()).toEqual(idsOf([first, second]));
    const failed = failRest(back, 'cancelled', at(50));
    expect(await ports().chunks.replace(back, failed)).toBe(true);
    const closed = released(failed, batch);
    expect(await ports().chunks.replace(failed, closed)).toBe(true);
    expect([closed.status, await waiting(), await due(at(999_999))]).toEqual(['closed', [second.id], []]);
  });

  test('that are to wait come after all others', async () => {
    const [first, second] = [await stored(0), await stored(1)];
    const owned = claimChunk(first, at(60), 2);
    await ports().chunks.replace(first, owned);
    const committed = withWork(owned, turn, at(30));
    await ports().chunks.replace(owned, committed);
    await ports().chunks.replace(committed, released(committed, batch, at(45)));
    expect((await ports().chunks.waiting(batch, 1)).map(({ id }) => id)).toEqual([second.id]);
  });

  test('are counted by their newest version, and say when all are done', async () => {
    await ports().batches.create(batch);
    const { chunks } = ports();
    const partly = withWork(claimChunk(make(0), at(60), 2), turn, NOON);
    const done = failRest(released(partly, batch), 'cancelled', NOON);
    expect([await chunks.count(done, 2), await chunks.count(partly, 2)]).toEqual([false, false]);
    const ends = { completed: 1, failed: 1, invalid: 0, credits: 1, charged: 1, verdicts: { page: 1 } };
    const entry = { index: 0, ...ends, parts: 2, isDone: true };
    expect(await chunks.progress(batch.id, 2)).toEqual([entry]);
    const other = withWork(
      claimChunk(make(1), at(60), 2),
      { ...turn, tally: NO_SCRAPES, invalid: 1, retries: [] },
      NOON,
    );
    expect([await chunks.count(other, 2), await chunks.count(other, 2)]).toEqual([true, true]);
    expect((await chunks.progress(batch.id, 2)).map(({ isDone }) => isDone)).toEqual([true, true]);
  });

  test('say once that the last of fifty is done, although they end together', async () => {
    await ports().batches.create(batch);
    const all = Array.from({ length: 50 }, (_, index) => failRest(make(index), 'cancelled', NOON));
    const isLast = await Promise.all(all.map(async (chunk) => ports().chunks.count(chunk, all.length)));
    expect(isLast.filter(Boolean).length).toBeGreaterThan(0);
    const progress = await ports().chunks.progress(batch.id, all.length);
    expect(progress.map(({ index }) => index).sort((a, b) => a - b)).toEqual(all.map(({ index }) => index));
  });
});
