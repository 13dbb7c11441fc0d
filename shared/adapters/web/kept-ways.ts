import type { ChromeClient } from '../../egress/fetch/chrome-client.ts';
import type { Guard } from '../../egress/guard.ts';

/** A guard, and a client whose connections go through it. */
export type Way = { guard: Guard; client: ChromeClient; openedAt: number };

/** So that the longest scrape, 120 s and 50 MB, keeps within what the guard allows a connection. */
const [MAX_AGE_MS, MAX_BYTES] = [10_000, 50_000_000];
/** Servers end idle connections, few of them so soon. */
const MAX_IDLE_MS = 1_000;

/** Ways that stay open for the next request of the same work, until that is disposed of. */
export function keptWays() {
  const kept = new WeakMap<AsyncDisposableStack, { way: Way; usedAt: number }>();
  const known = new WeakSet<AsyncDisposableStack>();

  function withdraw(work: AsyncDisposableStack) {
    const last = kept.get(work);
    kept.delete(work);
    return last;
  }
  return {
    /** For one request, which nobody shares. */
    take: (work: AsyncDisposableStack): Way | undefined => {
      const last = withdraw(work);
      if (last === undefined) return undefined;
      const { way, usedAt } = last;
      const now = performance.now();
      const isYoung = now - usedAt < MAX_IDLE_MS && now - way.openedAt < MAX_AGE_MS;
      if (isYoung && way.guard.bytes() < MAX_BYTES) return way;
      closeSoon(way);
      return undefined;
    },
    keep: (work: AsyncDisposableStack, way: Way): void => {
      if (work.disposed || kept.has(work)) {
        closeSoon(way);
        return;
      }
      kept.set(work, { way, usedAt: performance.now() });
      if (known.has(work)) return;
      known.add(work);
      work.defer(() => {
        const last = withdraw(work);
        if (last) closeSoon(last.way);
      });
    },
  };
}

/** The page need not wait for its sockets to close. */
export function closeSoon({ guard, client }: Way): void {
  setImmediate(() => void client.close().then(guard.close, guard.close));
}
