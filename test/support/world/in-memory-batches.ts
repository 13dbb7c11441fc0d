import type { Batch } from '../../../shared/contract/batches/batch.ts';
import type { Batches } from '../../../shared/ports/batches.ts';
import { step } from './step.ts';

/** The Batches port in memory: passes the same contract suite as the real one. */
export function inMemoryBatches(): Batches {
  const batches = new Map<string, Batch>();
  const change = (id: string, is: (batch: Batch) => boolean, changes: (batch: Batch) => Partial<Batch>) => {
    const stored = batches.get(id);
    if (!stored || !is(stored)) return undefined;
    const changed = { ...stored, ...changes(stored) };
    batches.set(id, changed);
    return changed;
  };
  const all = () => [...batches.values()];
  const byDueTime = (a: Batch, b: Batch) => Number(a.dueAt) - Number(b.dueAt);
  const isOpen = ({ state, cancelledAt, completedAt }: Batch) =>
    state === 'accepted' && !cancelledAt && !completedAt;
  const isAwaited = ({ state, completedAt }: Batch) => state === 'waiting_for_upload' && !completedAt;
  return {
    create: (batch) =>
      step(() => {
        if (batches.has(batch.id)) return false;
        batches.set(batch.id, batch);
        return true;
      }),
    find: (id) => step(() => batches.get(id)),
    advance: (after, from) =>
      step(
        () =>
          change(
            after.id,
            (it) => it.state === from && !it.cancelledAt,
            () => after,
          ) !== undefined,
      ),
    postpone: ({ id }, dueAt) =>
      step(
        () =>
          void change(
            id,
            (it) => it.state === 'reading' && !it.cancelledAt,
            () => ({ dueAt }),
          ),
      ),
    list: (orgId, { before = '~', limit }) =>
      step(() => {
        const found = all().filter((batch) => batch.orgId === orgId && !batch.crawlId && batch.id < before);
        const listed = found.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, limit);
        const next = listed.length < found.length ? listed.at(-1)?.id : undefined;
        return { batches: listed, ...(next && { next }) };
      }),
    open: (orgId, limit) =>
      step(() =>
        all()
          .filter((batch) => batch.orgId === orgId && isOpen(batch))
          .sort(byDueTime)
          .slice(0, limit),
      ),
    awaited: (orgId, now, limit) =>
      step(() =>
        all()
          .filter((batch) => batch.orgId === orgId && isAwaited(batch) && batch.deadlineAt >= now)
          .sort(byDueTime)
          .slice(0, limit),
      ),
    due: (now, limit) =>
      step(() =>
        all()
          .filter((batch) => !isOpen(batch) && !isAwaited(batch) && batch.dueAt && batch.dueAt <= now)
          .sort(byDueTime)
          .slice(0, limit),
      ),
    cancel: ({ id }, now, dueAt) =>
      step(() =>
        change(
          id,
          ({ state, completedAt }) => state === 'accepted' && !completedAt,
          ({ cancelledAt = now }) => ({ cancelledAt, dueAt }),
        ),
      ),
    complete: (id, now) =>
      step(() =>
        change(
          id,
          () => true,
          ({ completedAt = now }) => ({ completedAt, dueAt: undefined }),
        ),
      ),
  };
}
