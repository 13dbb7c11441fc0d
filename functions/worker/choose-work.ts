import type { Batch } from '../../shared/contract/batch.ts';
import type { Chunk } from '../../shared/contract/chunk.ts';
import type { Job } from '../../shared/contract/job.ts';
import { isUpload, type UploadBatch } from '../../shared/domain/upload/upload-state.ts';
import type { Effects } from '../../shared/ports.ts';
import type { Slot } from './take-slot.ts';

/** A job, with a slot if it has one already, or lines of an upload. */
export type Work = { job: Job; slot?: Slot } | { batch: UploadBatch; chunk: Chunk };

export type Chooser = {
  /** Some of the first work in an organization's backlogs, but for those of skipped batches. */
  choose: (orgId: string, isBrowserFree: boolean, skipped: ReadonlySet<string>) => Promise<Work | undefined>;
  /** Work that was chosen and did not begin may be chosen again. */
  putBack: (work: Work) => void;
};

type Needs = Pick<Effects, 'jobs' | 'batches' | 'chunks' | 'now'>;

/** Invocations choose among this many jobs, so that few choose the same one. */
const CHOICE = 25;
/** The same of the chunks of an upload, many of which may wait for a retry. */
const CHUNKS = 50;
/** An older list is read again. */
const FRESH_MS = 300;
/** The index lists a job for less than this after it began. */
const LAG_MS = 2_000;
/** Batches that take turns. Others follow when these are done. */
const MOST_BATCHES = 50;

/**
 * Chooses for one invocation: no job twice, and with one read of a backlog for several slots. Single jobs go
 * before those of batches, and batches take turns at random.
 */
export function chooseWork({ jobs, batches, chunks, now }: Needs): Chooser {
  /** When each job began, by its id. */
  const begun = new Map<string, number>();
  const waiting = recentReads<Job>(now);
  const open = recentReads<Batch>(now);
  const lines = recentReads<Chunk>(now);

  const choose: Chooser['choose'] = async (orgId, isBrowserFree, skipped) => {
    const isWanted = ({ id, request }: Job) => !begun.has(id) && (isBrowserFree || !request.renderJs);
    const single = await chooseFrom(orgId, isWanted);
    if (single) return { job: single };
    const inTurn = await open.of(orgId, async () => batches.open(orgId, MOST_BATCHES));
    for (const batch of shuffled(inTurn.filter(({ id }) => !skipped.has(id)))) {
      if (isUpload(batch)) {
        const chunk = await chooseLines(batch, isBrowserFree);
        if (chunk) return { batch, chunk };
        continue;
      }
      const job = await chooseFrom(orgId, isWanted, batch.id);
      if (job) return { job };
    }
    return undefined;
  };
  const putBack = (work: Work) => void ('job' in work && begun.delete(work.job.id));
  return { choose, putBack };

  /** A chunk has more lines than one turn runs, so it may be chosen again. */
  async function chooseLines(batch: UploadBatch, isBrowserFree: boolean) {
    if (!isBrowserFree && batch.upload.defaults['render_js'] === true) return undefined;
    const read = async () => chunks.waiting(batch, CHUNKS);
    const isReady = ({ notBefore }: Chunk) => notBefore === undefined || notBefore <= now();
    let listed = await lines.of(batch.id, read);
    if (listed.length > 0 && !listed.some(isReady)) listed = await lines.again(batch.id, read);
    const choice = listed.filter(isReady);
    const chosen = choice[Math.floor(Math.random() * choice.length)];
    if (chosen) listed.splice(listed.indexOf(chosen), 1);
    return chosen;
  }

  async function chooseFrom(orgId: string, isWanted: (job: Job) => boolean, batchId?: string) {
    const backlog = `${orgId} ${batchId ?? ''}`;
    const read = async () => jobs.waiting(orgId, CHOICE + begun.size, batchId);
    let listed = await waiting.of(backlog, read);
    if (listed.length > 0 && !listed.some(isWanted)) listed = await waiting.again(backlog, read);
    const choice = listed.filter(isWanted);
    const chosen = choice[Math.floor(Math.random() * Math.min(choice.length, CHOICE))];
    if (chosen) {
      remember(chosen.id);
      listed.splice(listed.indexOf(chosen), 1);
    }
    return chosen;
  }

  function remember(id: string): void {
    const time = now().getTime();
    begun.set(id, time);
    for (const [other, at] of begun) if (time - at > LAG_MS) begun.delete(other);
  }
}

/** Lists that were read moments ago. A reader may take entries out. */
function recentReads<T>(now: () => Date) {
  const known = new Map<string, { list: T[]; at: number }>();
  const again = async (name: string, read: () => Promise<T[]>) => {
    const list = await read();
    known.set(name, { list, at: now().getTime() });
    return list;
  };
  return {
    again,
    of: async (name: string, read: () => Promise<T[]>) => {
      const { list, at } = known.get(name) ?? { list: [], at: -Infinity };
      return now().getTime() - at < FRESH_MS ? list : again(name, read);
    },
  };
}

function shuffled<T>(list: readonly T[]): T[] {
  return list
    .map((each) => ({ each, order: Math.random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ each }) => each);
}
