import type { Crawl } from '../../../shared/contract/crawls/crawl.ts';
import type { TargetHost } from '../../../shared/contract/crawls/target-host.ts';
import type { Crawls, TargetHosts } from '../../../shared/ports/crawls.ts';
import { step } from './step.ts';

/** The Crawls port in memory: passes the same contract suite as the real one. */
export function inMemoryCrawls(): Crawls & { all: () => Crawl[] } {
  const crawls = new Map<string, Crawl>();
  const all = () => [...crawls.values()];
  return {
    all,
    create: (crawl) =>
      step(() => {
        if (crawls.has(crawl.id)) return false;
        crawls.set(crawl.id, crawl);
        return true;
      }),
    find: (id) => step(() => crawls.get(id)),
    replace: (before, after) =>
      step(() => {
        const isSame = crawls.get(before.id)?.revision === before.revision;
        if (isSame) crawls.set(after.id, after);
        return isSame;
      }),
    list: (orgId, { before = '~', limit }) =>
      step(() => {
        const found = all().filter((crawl) => crawl.orgId === orgId && crawl.id < before);
        const listed = found.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, limit);
        const next = listed.length < found.length ? listed.at(-1)?.id : undefined;
        return { crawls: listed, ...(next && { next }) };
      }),
    due: (now, limit) =>
      step(() =>
        all()
          .filter(({ dueAt }) => dueAt !== undefined && dueAt <= now)
          .sort((a, b) => Number(a.dueAt) - Number(b.dueAt))
          .slice(0, limit),
      ),
  };
}

/** The TargetHosts port in memory: passes the same contract suite as the real one. */
export function inMemoryTargetHosts(): TargetHosts {
  const hosts = new Map<string, TargetHost>();
  return {
    find: (host) => step(() => hosts.get(host)),
    replace: (before, after) =>
      step(() => {
        const isSame = hosts.get(after.host)?.version === before?.version;
        if (isSame) hosts.set(after.host, after);
        return isSame;
      }),
  };
}
