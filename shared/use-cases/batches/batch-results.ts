import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Batch, ResultsQuery } from '../../contract/batches/batch.ts';
import { partKey } from '../../domain/batches/part-key.ts';
import { placeWithin, type PartsRead, writtenParts } from '../../domain/batches/parts-cursor.ts';
import { splitLines } from '../../domain/batches/split-lines.ts';
import type { ErrorCode } from '../../errors.ts';
import type { Effects } from '../../ports/effects.ts';
import { linesNotRun, type NotRunNeeds } from './lines-not-run.ts';
import { type ChunkPart, partsAfter, withParts, type PartsNeeds } from './parts-after.ts';

export type BatchResultNeeds = PartsNeeds & NotRunNeeds & { results: Pick<Effects['results'], 'open'> };

export type BatchResults = {
  /** Lines of JSON. */
  lines: Buffer | Readable;
  /** Where the next page begins; undefined once every result was read. */
  next: string | undefined;
  /** Of the lines, before what a view adds to them or leaves out. */
  bytes: number;
};

/** A response with pages ends with the part that exceeds this. */
const MAX_BYTES = 16 * 1_024 * 1_024;
/** One without them ends before this, as a page of a list does: slow readers of more would hold up others. */
const MAX_BYTES_WITHOUT_PAGES = 256 * 1_024;

/** Bytes of lines after which a response ends. */
export const roomFor = ({ include }: Pick<ResultsQuery, 'include'>): number =>
  include === 'body' ? MAX_BYTES : MAX_BYTES_WITHOUT_PAGES;

/** What a reader adds to the lines of a batch, and which of them it leaves out. */
export type ResultView = {
  /** The owner's id, under its name. */
  owner: Readonly<Record<string, string>>;
  /** The cursor for callers. */
  cursorOf: (cursor: string) => string;
  isResult: (line: number) => boolean;
  /** Whether lines that were not run for this reason are results. */
  hasResults: (code: ErrorCode | undefined) => boolean;
};

const viewOf = ({ id }: Batch): ResultView => ({
  owner: { batch_id: id },
  cursorOf: (cursor) => cursor,
  isResult: () => true,
  hasResults: () => true,
});

/**
 * Result lines that the cursor does not cover, chunk by chunk. No line is repeated or skipped while others
 * end. Throws `invalid_request` for a cursor of another batch.
 */
export async function batchResults(
  fx: BatchResultNeeds,
  batch: Batch,
  { cursor, include }: ResultsQuery,
  { view = viewOf(batch), room = roomFor({ include }) }: { view?: ResultView; room?: number } = {},
): Promise<BatchResults> {
  const hasPages = include === 'body';
  const { parts, read, next } = await partsAfter(
    fx,
    batch,
    cursor,
    (taken) => !hasPages || bytesOf(taken) < room,
  );
  const lines = linesOf(fx, batch, { parts, read, hasPages, view });
  if (!hasPages) return firstOf(lines, next, room);
  const body = parts.length > 0 ? Readable.from(contentOf(lines)) : Buffer.alloc(0);
  return { lines: body, next, bytes: bytesOf(parts) };
}

const bytesOf = (parts: readonly Pick<ChunkPart, 'bytes'>[]) =>
  parts.reduce((total, { bytes }) => total + bytes, 0);

type Line = { content: Buffer; cursor: string };

/** At least one line, and more as long as they fit. The next page begins after the last of them. */
async function firstOf(
  lines: AsyncIterable<Line>,
  next: string | undefined,
  room: number,
): Promise<BatchResults> {
  const taken: Buffer[] = [];
  let bytes = 0;
  let after: string | undefined;
  for await (const { content, cursor } of lines) {
    if (after !== undefined && bytes + content.byteLength > room)
      return { lines: Buffer.concat(taken), next: after, bytes };
    bytes += content.byteLength;
    taken.push(content);
    after = cursor;
  }
  return { lines: Buffer.concat(taken), next, bytes };
}

async function* contentOf(lines: AsyncIterable<Line>): AsyncGenerator<Buffer> {
  for await (const { content } of lines) yield content;
}

type Wanted = { parts: readonly ChunkPart[]; read: PartsRead; hasPages: boolean; view: ResultView };

async function* linesOf(
  fx: BatchResultNeeds,
  batch: Batch,
  { parts, read, hasPages, view }: Wanted,
): AsyncGenerator<Line> {
  for (const [n, part] of parts.entries()) {
    const { index } = part.chunk;
    const before = writtenParts(withParts(read.parts, parts.slice(0, n)));
    const skipped = n === 0 && read.within?.index === index ? read.within.lines : 0;
    let lines = 0;
    for await (const line of storedIn(fx, batch, part, { hasPages, view })) {
      lines += 1;
      if (lines <= skipped) continue;
      if (!view.isResult(numberOf(line))) continue;
      const cursor = `${before}${placeWithin({ index, lines })}`;
      // In place of the last brace.
      const added = JSON.stringify({ ...view.owner, cursor: view.cursorOf(cursor) }).slice(1);
      const end = Buffer.from(`,${added}\n`);
      yield { content: Buffer.concat([line.subarray(0, -1), end]), cursor };
    }
  }
}

/** Of a stored line, which begins with it. */
export function numberOf(line: Uint8Array): number {
  return Number.parseInt(Buffer.from(line.subarray(START.length, START.length + 10)).toString(), 10);
}

const START = '{"line":';

/** The stored lines of a part. An expired part has none. */
async function* storedIn(
  fx: BatchResultNeeds,
  batch: Batch,
  { chunk, token }: ChunkPart,
  { hasPages, view }: Pick<Wanted, 'hasPages' | 'view'>,
): AsyncGenerator<Uint8Array> {
  if (token === undefined) {
    if (view.hasResults(chunk.rest)) yield* linesNotRun(fx, batch, chunk);
    return;
  }
  const stored = await fx.results.open(partKey(chunk, token, hasPages ? 'pages' : 'heads'));
  if (stored === undefined) return;
  const lines = pipeline(stored, createGunzip(), () => undefined);
  for await (const { content } of splitLines(lines, undefined, Infinity)) if (content) yield content;
}
