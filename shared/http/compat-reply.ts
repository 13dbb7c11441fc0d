import { documentsPage } from '../compat/documents-page.ts';
import type { PictureLink } from '../compat/document.ts';
import type { JobStatus } from '../compat/job-status.ts';
import { AppError } from '../errors.ts';
import type { Effects } from '../ports/effects.ts';
import { idempotencyKey } from './idempotency.ts';
import type { AuthenticatedCall } from './call.ts';
import { takeReaderPlace } from './reader-place.ts';
import { json, type Reply } from './reply.ts';

type Lines = { lines: Uint8Array | AsyncIterable<Uint8Array>; next: string | undefined };

/** A crawl or batch, and how its results are read. */
type Job<J> = {
  path: string;
  find: () => Promise<J>;
  statusOf: (job: J) => Promise<JobStatus>;
  linesOf: (job: J, cursor: string | undefined) => Promise<Lines>;
  linkTo: PictureLink;
};

type Needs = Pick<Effects, 'now' | 'wait' | 'apiUrl'>;

/**
 * The status of a job with a page of its documents, and `next` while there are more. Clients stop in silence
 * at the first `next` that is refused, so a call for one waits for its turn, and repeats its own URL without
 * documents if that does not come.
 */
export async function pageReply<J extends { id: string }>(
  fx: Needs,
  call: AuthenticatedCall,
  { path, find, statusOf, linesOf, linkTo }: Job<J>,
): Promise<Reply> {
  const cursor = call.query['cursor']?.[0];
  const skip = Math.max(0, Number(call.query['skip']?.[0]) || 0);
  const urlOf = (id: string, at: string, count: number) =>
    `${fx.apiUrl}${path}/${id}?${new URLSearchParams({ skip: String(count), cursor: at }).toString()}`;
  const refusal = await takePlaceInTurn(fx, call);
  if (refusal && cursor === undefined) throw refusal;
  const job = await find();
  const status = await statusOf(job);
  const head = { success: true, id: job.id, ...status };
  if (refusal && cursor !== undefined)
    return json(200, { ...head, next: urlOf(job.id, cursor, skip), data: [] });
  const read = async (from: string | undefined) => {
    const { lines, next } = await linesOf(job, from);
    const page = await documentsPage(lines, { jobId: job.id, now: fx.now(), linkTo });
    const isLast = next === undefined || (page.cursor === undefined && status.status === 'scraping');
    return { data: page.documents, next: page.isCut ? page.cursor : isLast ? undefined : next };
  };
  let { data, next } = await read(cursor);
  // Without a cursor, what is skipped is read.
  let left = cursor === undefined ? skip : 0;
  for (; left > data.length && next !== undefined; { data, next } = await read(next)) left -= data.length;
  data = data.slice(left);
  return json(200, {
    ...head,
    next: next === undefined ? null : urlOf(job.id, next, skip + data.length),
    data,
  });
}

/** Clients wait longer for a response. */
const MAX_MS = 20_000;
const SECOND_MS = 1_000;

/**
 * Takes a reader's place, and the place in the rate limit, once both are free. Returns the refusal if they
 * are not within twenty seconds.
 */
export async function takePlaceInTurn(
  { now, wait }: Pick<Effects, 'now' | 'wait'>,
  call: AuthenticatedCall,
): Promise<AppError | undefined> {
  const until = now().getTime() + MAX_MS;
  for (;;) {
    try {
      await takeReaderPlace(call);
      return undefined;
    } catch (error) {
      if (!(error instanceof AppError) || error.retryAfter === undefined) throw error;
      const pause = error.retryAfter * SECOND_MS;
      if (now().getTime() + pause > until) return error;
      await wait(pause);
    }
  }
}

/** The key of a submit, under the name that clients of `/v2` send it by. */
export function compatKey(call: AuthenticatedCall): string | undefined {
  const key = call.headers['x-idempotency-key'] ?? call.headers['idempotency-key'];
  return idempotencyKey({ headers: { 'idempotency-key': key } });
}
