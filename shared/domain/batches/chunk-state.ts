import type { Batch } from '../../contract/batches/batch.ts';
import type { Chunk } from '../../contract/batches/chunk.ts';
import type { ErrorCode } from '../../errors.ts';
import { chunkIdOf } from './chunk-id.ts';
import type { Tally } from '../accounts/credits/usage-days.ts';
import { addedUp } from './verdicts.ts';
import { addMs } from '../../time/units.ts';
import { fenced, STALE_MS } from '../work/lease.ts';

export type ChunkLines = Pick<Chunk, 'index' | 'at' | 'bytes' | 'lines' | 'firstLine'>;

export function newChunk(batch: Batch, lines: ChunkLines): Chunk {
  const { id, orgId, deadlineAt, expiresAt } = batch;
  const nothing = {
    completed: 0,
    failed: 0,
    invalid: 0,
    credits: 0,
    charged: 0,
    verdicts: {},
    version: 0,
    fencingToken: 0,
  };
  return {
    ...lines,
    ...nothing,
    inHand: 0,
    deaths: 0,
    careful: 0,
    id: chunkIdOf(id, lines.index),
    batchId: id,
    orgId,
    status: 'waiting',
    next: { line: lines.firstLine, at: lines.at },
    retries: [],
    parts: [],
    dueAt: dueInOrder({ deadlineAt }, lines),
    expiresAt,
  };
}

/** A millisecond apart, so that a backlog keeps the order of the upload. */
const dueInOrder = ({ deadlineAt }: Pick<Batch, 'deadlineAt'>, { index }: Pick<Chunk, 'index'>) =>
  addMs(deadlineAt, index);

export function claimChunk(chunk: Chunk, until: Date, inHand: number): Chunk {
  const { notBefore: _, ...waiting } = chunk;
  return { ...fenced(waiting), deaths: chunk.deaths + 1, inHand, status: 'running', dueAt: until };
}

/** ChunkLines that have neither ended nor will be left to `rest`. */
export function linesLeft({ lines, completed, failed, invalid }: Chunk): number {
  return lines - completed - failed - invalid;
}

/** The work of one turn. */
export type CommittedWork = Pick<
  Chunk,
  'next' | 'retries' | 'completed' | 'failed' | 'invalid' | 'charged' | 'verdicts'
> & {
  /** Of the stored part; undefined if no line has ended. */
  part: Omit<Chunk['parts'][number], 'token'> | undefined;
  held: number;
  tally: Tally;
  /** ChunkLines whose attempt failed, and that are tried again. */
  retried: number;
};

/** The chunk with the work of a turn, which is then charged and counted. */
export function withWork(
  chunk: Chunk,
  { part, held, tally, retried, ...turn }: CommittedWork,
  now: Date,
): Chunk {
  const done = turn.completed + turn.failed + turn.invalid + retried;
  return {
    ...chunk,
    status: 'settling',
    next: turn.next,
    retries: turn.retries,
    completed: chunk.completed + turn.completed,
    failed: chunk.failed + turn.failed,
    invalid: chunk.invalid + turn.invalid,
    credits: chunk.credits + tally.charged,
    charged: chunk.charged + turn.charged,
    verdicts: addedUp([chunk.verdicts, turn.verdicts]),
    parts: part ? [...chunk.parts, { token: chunk.fencingToken, ...part }] : chunk.parts,
    charge: { held, charged: tally.charged, counts: { ...tally.counts } },
    inHand: 0,
    deaths: 0,
    careful: Math.max(0, chunk.careful - done),
    ...(chunk.wary !== undefined && { wary: Math.max(0, chunk.wary - done) }),
    version: chunk.version + 1,
    dueAt: addMs(now, STALE_MS),
  };
}

/** Fails the lines that have not ended, without running them. */
export function failRest(chunk: Chunk, code: ErrorCode, now: Date): Chunk {
  return { ...leaving(chunk, now), rest: code, failed: chunk.failed + linesLeft(chunk) };
}

/** Leaves the lines that have not ended to a later wave of the crawl, not before that time. */
export function putOff(chunk: Chunk, until: Date, now: Date): Chunk {
  return { ...leaving(chunk, now), putOff: until, failed: chunk.failed + linesLeft(chunk) };
}

/** The results that a chunk's last owner has committed, and when. Undefined once they are settled. */
export function committedPart({ parts, charge, fencingToken, dueAt }: Chunk) {
  const part = parts.at(-1);
  if (charge === undefined || dueAt === undefined || part?.token !== fencingToken) return undefined;
  return { token: part.token, at: addMs(dueAt, -STALE_MS) };
}

/** Lines of a turn over which no worker has died, unless the chunk is of a crawl. */
export const USUAL_LINES = 25;

/** Whose worker died: its slots are freed before it is given back. */
export function orphaned(chunk: Chunk, now: Date): Chunk {
  const { careful, inHand, wary = 0 } = chunk;
  const left = leaving(chunk, now);
  if (inHand > USUAL_LINES) return { ...left, wary: Math.max(wary, inHand) };
  return { ...left, careful: Math.max(careful, inHand) };
}

/** Whose turn came to nothing, which counts as no death. */
export function fruitless(owned: Chunk, now: Date): Chunk {
  return { ...leaving(owned, now), deaths: Math.max(0, owned.deaths - 1) };
}

/** To be settled, by the sweeper if need be. */
const leaving = (chunk: Chunk, now: Date): Chunk => ({
  ...chunk,
  status: 'settling',
  version: chunk.version + 1,
  dueAt: addMs(now, STALE_MS),
});

/** Added to the times of waiting chunks, so that they sort after all ready chunks. */
const FAR_MS = 10 * 365 * 24 * 60 * 60_000;

/** The chunk back in the backlog, or closed if every line has ended. */
export function released(chunk: Chunk, { deadlineAt }: Pick<Batch, 'deadlineAt'>, notBefore?: Date): Chunk {
  const { charge: _charge, notBefore: _notBefore, dueAt: _dueAt, ...kept } = chunk;
  if (linesLeft(chunk) === 0) return { ...kept, status: 'closed' };
  const waiting = { ...kept, status: 'waiting' as const, inHand: 0 };
  return notBefore
    ? { ...waiting, notBefore, dueAt: addMs(notBefore, FAR_MS) }
    : { ...waiting, dueAt: dueInOrder({ deadlineAt }, chunk) };
}

/** Back into the backlog after a claim without a slot: it counts as no death. */
export function givenBack(owned: Chunk, batch: Pick<Batch, 'deadlineAt'>): Chunk {
  return { ...released(owned, batch), deaths: Math.max(0, owned.deaths - 1) };
}

/** After so many claims without a commit, the line at hand is taken to kill its worker. */
export const MAX_DEATHS = 3;

/** Some results of a chunk. Without a token, they are the lines that were not run. */
export type Part = { lines: number; bytes: number; token?: number };

/** The results of a chunk so far: a part for each turn that ended lines, and one for what was not run. */
export function partsOf({ parts, rest, lines }: Chunk): Part[] {
  if (rest === undefined) return parts;
  return [...parts, { lines: lines - parts.reduce((sum, part) => sum + part.lines, 0), bytes: 0 }];
}
