import type { Chunk } from '../../../shared/contract/batches/chunk.ts';
import type { Effects } from '../../../shared/ports/effects.ts';
import type { Hosts } from '../batches/take-host.ts';

type Full = { until: Date; isOwn: boolean; orgId: string };

/** Hosts that take no more requests of a crawl for now, as this invocation has seen. */
export function fullHosts({ now }: Pick<Effects, 'now'>) {
  const known = new Map<string, Full>();
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
    /** `other`: not all of them have requests of its own in progress, which would continue with the next. */
    waitsFor: (orgId: string): 'own' | 'other' | undefined => {
      prune();
      const all = [...known.values()].filter((full) => full.orgId === orgId);
      if (all.length === 0) return undefined;
      return all.every(({ isOwn }) => isOwn) ? 'own' : 'other';
    },
  };
}
