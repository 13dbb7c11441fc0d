import type { Chunk } from '../../../shared/contract/batches/chunk.ts';
import type { Effects } from '../../../shared/ports/effects.ts';
import { addMs, SECOND_MS } from '../../../shared/time/units.ts';
import type { Hosts } from '../batches/take-host.ts';

/** Drains that end at the same time need no more than one message. */
const WAKE_MS = 5 * SECOND_MS;

type Full = { until: Date; isOwn: boolean; orgId: string };

/** Hosts that take no more requests of a crawl for now, as this invocation has seen. */
export function fullHosts({ now }: Pick<Effects, 'now'>) {
  const known = new Map<string, Full>();
  const wokenAt = new Map<string, Date>();
  const nameOf = ({ crawl }: Chunk) => crawl && `${crawl.id} ${crawl.host}`;
  const prune = () => {
    for (const [name, { until }] of known) if (until <= now()) known.delete(name);
  };
  const note: Hosts['hostIsFull'] = (chunk, full) => {
    const name = nameOf(chunk);
    if (name !== undefined) known.set(name, { ...full, orgId: chunk.orgId });
  };
  return {
    note,
    isFull: (chunk: Chunk): boolean => {
      const name = nameOf(chunk);
      const full = name === undefined ? undefined : known.get(name);
      return full !== undefined && full.until > now();
    },
    /**
     * `own`: requests of its crawls are in progress at each of them, and the next chunk follows. `other`: a
     * message is needed, which is said once in a while.
     */
    waitsFor: (orgId: string): 'own' | 'other' | undefined => {
      prune();
      const all = [...known.values()].filter((full) => full.orgId === orgId);
      if (all.length === 0) return undefined;
      const woken = wokenAt.get(orgId);
      if (all.every(({ isOwn }) => isOwn) || (woken && addMs(woken, WAKE_MS) > now())) return 'own';
      wokenAt.set(orgId, now());
      return 'other';
    },
  };
}
