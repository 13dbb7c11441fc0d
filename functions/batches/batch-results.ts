import { Readable } from 'node:stream';
import type { Batch, BatchResult, ResultsQuery } from '../../shared/contract/batch.ts';
import type { FinishedJob } from '../../shared/contract/job.ts';
import { cursorOfRead, readOfCursor } from '../../shared/domain/batch/results-cursor.ts';
import { jobView } from '../../shared/domain/job/view.ts';
import { invalidField } from '../../shared/request/fault.ts';
import type { Effects } from '../../shared/ports.ts';
import { settledJobs } from '../../shared/use-cases/settled-jobs.ts';
import { readPage } from './read-page.ts';

type Needs = Pick<Effects, 'batches' | 'jobs' | 'results' | 'now'>;

/** A response ends before its bodies are longer than this, or after one. */
const MOST_BYTES = 16 * 1_024 * 1_024;

export type BatchResults = {
  /** Lines of JSON. */
  lines: Readable;
  /** Where to go on; undefined once every result was read. */
  next: string | undefined;
  isHeavy: boolean;
};

/**
 * Results that the cursor does not cover, in the order of settlement. No result comes twice or is left out
 * while others settle. Throws `invalid_request` for a cursor of another batch.
 */
export async function batchResults(
  fx: Needs,
  batch: Batch,
  { cursor, include }: ResultsQuery,
  mount: string,
): Promise<BatchResults> {
  const read = cursor === undefined ? new Set<number>() : readOfCursor(cursor, batch.total);
  if (read === undefined)
    throw invalidField('cursor', "Invalid value for 'cursor': expected the cursor of a line of this batch.");
  const { completed, failed } = await fx.batches.progress(batch);
  const settled = [...completed.keys(), ...failed];
  const fresh = settled.filter((index) => !read.has(index));
  const jobs = await settledJobs(fx, batch.id, fresh);
  // What a caller has deleted is not waited for.
  for (const index of fresh) if (!jobs.some((job) => job.batch?.index === index)) read.add(index);
  const chosen = include === 'body' ? upTo(MOST_BYTES, jobs) : jobs;
  const cursors = chosen.map((job) => cursorOfRead(read.add(job.batch?.index ?? 0)));
  const isAllRead = settled.length === batch.total && chosen.length === jobs.length;
  return {
    lines: Readable.from(linesOf(fx, chosen, { cursors, include, mount })),
    next: isAllRead ? undefined : (cursors.at(-1) ?? cursor ?? cursorOfRead(read)),
    isHeavy: include === 'body' && chosen.length > 0,
  };
}

function upTo(limit: number, jobs: readonly FinishedJob[]): FinishedJob[] {
  let bytes = 0;
  return jobs.filter((job, n) => {
    bytes += job.status === 'completed' ? job.bytes : 0;
    return n === 0 || bytes <= limit;
  });
}

async function* linesOf(
  { results }: Needs,
  jobs: readonly FinishedJob[],
  {
    cursors,
    include,
    mount,
  }: { cursors: readonly string[]; include: ResultsQuery['include']; mount: string },
): AsyncGenerator<Uint8Array> {
  for (const [n, job] of jobs.entries()) {
    const line: BatchResult = {
      ...jobView(job),
      result_url: `${mount}/api/v1/scraper/jobs/${job.id}/result`,
      cursor: cursors[n] ?? '',
      ...(include === 'body' && job.status === 'completed' && (await readPage(results, job))),
    };
    yield Buffer.from(`${JSON.stringify(line)}\n`);
  }
}
