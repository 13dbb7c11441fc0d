import { Readable } from 'node:stream';
import type { Batch, BatchResult, ResultsQuery } from '../../shared/contract/batches/batch.ts';
import type { FinishedJob } from '../../shared/contract/jobs/job.ts';
import { cursorOfRead, readOfCursor } from '../../shared/domain/batches/results-cursor.ts';
import { jobView } from '../../shared/domain/jobs/view.ts';
import { invalidField } from '../../shared/request/fault.ts';
import type { Effects } from '../../shared/ports/effects.ts';
import { byEnd, settledJobs } from '../../shared/use-cases/batches/settled-jobs.ts';
import { readPage } from './read-page.ts';

type Needs = Pick<Effects, 'batches' | 'jobs' | 'results' | 'now' | 'apiUrl'>;

/** A response ends before its pages have more bytes than this, or after one line. */
const MAX_PAGE_BYTES = 16 * 1_024 * 1_024;
/** The same for its lines without their pages: room for some five hundred common ones. */
const MAX_LINE_BYTES = 256 * 1_024;

/** Jobs read first; they may fill a response. Then twice as many each time. */
const FIRST_READ = 50;

export type BatchResults = {
  /** Lines of JSON. */
  lines: Buffer | Readable;
  /** Where the next page begins; undefined once every result was read. */
  next: string | undefined;
};

/**
 * Results that the cursor does not cover, as many as a response holds, in the order of settlement. No result
 * comes twice or is left out while others settle. Throws `invalid_request` for a cursor of another batch.
 */
export async function batchResults(
  fx: Needs,
  batch: Batch,
  { cursor, include }: ResultsQuery,
): Promise<BatchResults> {
  const read = cursor === undefined ? new Set<number>() : readOfCursor(cursor, batch.total);
  if (read === undefined)
    throw invalidField('cursor', "Invalid value for 'cursor': expected the cursor of a line of this batch.");
  const { completed, failed } = await fx.batches.progress(batch);
  const settled = [...completed.keys(), ...failed];
  const fresh = settled.filter((index) => !read.has(index));
  const { jobs, isWhole } = await readJobs(fx, batch, fresh, { read, include });
  const chosen = chooseJobs(jobs, read, { include, apiUrl: fx.apiUrl });
  const isAllRead = settled.length === batch.total && isWhole && chosen.length === jobs.length;
  return {
    lines: include === 'body' ? Readable.from(withPages(fx, chosen)) : Buffer.concat(chosen.map(lineOf)),
    next: isAllRead ? undefined : (chosen.at(-1)?.head.cursor ?? cursor ?? cursorOfRead(read)),
  };
}

/** As many jobs as fill a response. What a caller has deleted is not waited for: it counts as `read`. */
async function readJobs(
  fx: Needs,
  { id }: Batch,
  indexes: readonly number[],
  { read, include }: { read: Set<number>; include: ResultsQuery['include'] },
): Promise<{ jobs: FinishedJob[]; isWhole: boolean }> {
  const jobs: FinishedJob[] = [];
  let at = 0;
  for (let size = FIRST_READ; at < indexes.length && !isFull(jobs, include); size *= 2) {
    const some = indexes.slice(at, at + size);
    const found = await settledJobs(fx, id, some);
    const kept = new Set(found.map((job) => job.batch?.index));
    for (const index of some) if (!kept.has(index)) read.add(index);
    jobs.push(...found);
    at += size;
  }
  return { jobs: jobs.sort(byEnd), isWhole: at >= indexes.length };
}

function isFull(jobs: readonly FinishedJob[], include: ResultsQuery['include']): boolean {
  const pageBytes = jobs.reduce((sum, job) => sum + (job.status === 'completed' ? job.bytes : 0), 0);
  if (include === 'body' && pageBytes > MAX_PAGE_BYTES) return true;
  return Buffer.byteLength(JSON.stringify(jobs.map(jobView))) > MAX_LINE_BYTES;
}

type Chosen = { job: FinishedJob; head: BatchResult };

/** As many jobs as fit into a response, and `read` with them. */
function chooseJobs(
  jobs: readonly FinishedJob[],
  read: Set<number>,
  { include, apiUrl }: { include: ResultsQuery['include']; apiUrl: string },
): Chosen[] {
  const chosen: Chosen[] = [];
  let [lineBytes, pageBytes] = [0, 0];
  for (const job of jobs) {
    const index = job.batch?.index ?? 0;
    const cursor = cursorOfRead(read.add(index));
    const head = {
      ...jobView(job),
      result_url: `${apiUrl}/api/v1/scraper/jobs/${job.id}/result`,
      cursor,
    };
    lineBytes += lineOf({ head }).byteLength;
    if (include === 'body' && job.status === 'completed') pageBytes += job.bytes;
    if (chosen.length > 0 && (lineBytes > MAX_LINE_BYTES || pageBytes > MAX_PAGE_BYTES)) break;
    chosen.push({ job, head });
  }
  return chosen;
}

async function* withPages({ results }: Needs, chosen: readonly Chosen[]): AsyncGenerator<Uint8Array> {
  for (const { job, head } of chosen) {
    const page = job.status === 'completed' ? await readPage(results, job) : {};
    yield lineOf({ head: { ...head, ...page } });
  }
}

const lineOf = ({ head }: Pick<Chosen, 'head'>) => Buffer.from(`${JSON.stringify(head)}\n`);
