import type { Batch } from '../../../shared/contract/batches/batch.ts';
import type { Chunk } from '../../../shared/contract/batches/chunk.ts';
import type { Job } from '../../../shared/contract/jobs/job.ts';
import type { Effects } from '../../../shared/ports/effects.ts';
import { chooseJobs } from './choose-jobs.ts';
import type { Hosts } from '../batches/take-host.ts';
import { fullHosts } from './full-hosts.ts';
import { ttlCache } from './ttl-cache.ts';

/** A job, or lines of a batch. */
export type Work = { job: Job } | { batch: Batch; chunk: Chunk };

export type Chooser = {
  /** Some of the first work in an organization's backlogs, without skipped batches. */
  choose: (orgId: string, isBrowserFree: boolean, skipped: ReadonlySet<string>) => Promise<Work | undefined>;
  /** Work that was chosen and did not begin may be chosen again. */
  putBack: (work: Work) => void;
  /** Work that ended is not chosen again, although it may still be listed. */
  ended: (work: Work) => void;
  /** Chunks of the same crawl and host are not chosen for a while. */
  hostIsFull: Hosts['hostIsFull'];
  /** Whether chunks of an organization may wait for a host. `other`: crawls of others have its places. */
  waitsForHost: (orgId: string) => 'own' | 'other' | undefined;
};

type Needs = Pick<Effects, 'jobs' | 'batches' | 'chunks' | 'now'>;

/** Batches that take turns. Others follow when these are done. */
const MAX_BATCHES = 50;

/**
 * Chooses for one invocation: no job twice, and with one read of a backlog for several slots. Single jobs go
 * before batches, and batches take turns at random.
 */
export function chooseWork(fx: Needs): Chooser {
  const jobs = chooseJobs(fx);
  const hosts = fullHosts(fx);
  const chooseChunk = chooseChunks(fx, hosts.isFull);
  const open = ttlCache<Batch>(fx.now);

  const choose: Chooser['choose'] = async (orgId, isBrowserFree, skipped) => {
    const single = await jobs.choose({ orgId, isBrowserFree });
    if (single) return { job: single };
    const batches = await open.of(orgId, async () => fx.batches.open(orgId, MAX_BATCHES));
    for (const batch of shuffled(batches.filter(({ id }) => !skipped.has(id)))) {
      const chunk = await chooseChunk(batch, isBrowserFree);
      if (chunk) return { batch, chunk };
    }
    return undefined;
  };
  return {
    choose,
    putBack: (work) => ('job' in work ? jobs.putBack(work.job) : undefined),
    ended: (work) => ('job' in work ? jobs.ended(work.job) : undefined),
    hostIsFull: hosts.note,
    waitsForHost: hosts.waitsFor,
  };
}

function shuffled<T>(list: readonly T[]): T[] {
  return list
    .map((each) => ({ each, order: Math.random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ each }) => each);
}

/** Invocations choose among this many chunks, many of which may wait for a retry. */
const CHOICE = 50;

/** Chunks of a crawl that are read if the first ones are all of hosts that are full. */
const MANY = 500;

/** Chooses among the chunks of an upload. One has more lines than a turn runs, so it may be chosen again. */
function chooseChunks({ chunks, now }: Pick<Effects, 'chunks' | 'now'>, isFull: (chunk: Chunk) => boolean) {
  const waiting = ttlCache<Chunk>(now);
  return async (batch: Batch, isBrowserFree: boolean): Promise<Chunk | undefined> => {
    if (!isBrowserFree && batch.upload.defaults['render_js'] === true) return undefined;
    return waiting.take(batch.id, {
      read: async () => {
        const first = await chunks.waiting(batch, CHOICE);
        return first.length === CHOICE && first.every(isFull) ? chunks.waiting(batch, MANY) : first;
      },
      isWanted: (chunk) => (chunk.notBefore === undefined || chunk.notBefore <= now()) && !isFull(chunk),
      most: CHOICE,
    });
  };
}
