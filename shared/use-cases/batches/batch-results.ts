import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Batch, ResultsQuery } from '../../contract/batches/batch.ts';
import { partKey } from '../../domain/batches/part-key.ts';
import { placeWithin, type PartsRead, writtenParts } from '../../domain/batches/parts-cursor.ts';
import { splitLines } from '../../domain/batches/split-lines.ts';
import type { Effects } from '../../ports/effects.ts';
import { linesNotRun, type NotRunNeeds } from './lines-not-run.ts';
import { type ChunkPart, partsAfter, withParts, type PartsNeeds } from './parts-after.ts';

export type BatchResultNeeds = PartsNeeds & NotRunNeeds & { results: Pick<Effects['results'], 'open'> };

export type BatchResults = {
  /** Lines of JSON. */
  lines: Buffer | Readable;
  /** Where the next page begins; undefined once every result was read. */
  next: string | undefined;
};

/** A response ends with the part that exceeds one of these. */
const MAX_BYTES = 16 * 1_024 * 1_024;
const MAX_LINES = 20_000;

/**
 * Lines of the results that the cursor does not cover, chunk by chunk. No line comes twice or is left out
 * while others end. Throws `invalid_request` for a cursor of another batch.
 */
export async function batchResults(
  fx: BatchResultNeeds,
  batch: Batch,
  { cursor, include }: ResultsQuery,
): Promise<BatchResults> {
  const hasPages = include === 'body';
  const sum = (parts: readonly { lines: number; bytes: number }[], name: 'lines' | 'bytes') =>
    parts.reduce((total, part) => total + part[name], 0);
  const { parts, read, next } = await partsAfter(fx, batch, cursor, (taken) =>
    hasPages ? sum(taken, 'bytes') < MAX_BYTES : sum(taken, 'lines') < MAX_LINES,
  );
  const lines = linesOf(fx, batch, { parts, read, hasPages });
  return { lines: parts.length > 0 ? Readable.from(lines) : Buffer.alloc(0), next };
}

type Wanted = { parts: readonly ChunkPart[]; read: PartsRead; hasPages: boolean };

async function* linesOf(
  fx: BatchResultNeeds,
  batch: Batch,
  { parts, read, hasPages }: Wanted,
): AsyncGenerator<Uint8Array> {
  for (const [n, part] of parts.entries()) {
    const { index } = part.chunk;
    const before = writtenParts(withParts(read.parts, parts.slice(0, n)));
    const skipped = n === 0 && read.within?.index === index ? read.within.lines : 0;
    let lines = 0;
    for await (const line of storedIn(fx, batch, part, hasPages)) {
      lines += 1;
      if (lines <= skipped) continue;
      const cursor = `${before}${placeWithin({ index, lines })}`;
      // In place of the last brace.
      yield Buffer.concat([
        line.subarray(0, -1),
        Buffer.from(`,"batch_id":"${batch.id}","cursor":"${cursor}"}\n`),
      ]);
    }
  }
}

/** The stored lines of a part. An expired part has none. */
async function* storedIn(
  fx: BatchResultNeeds,
  batch: Batch,
  { chunk, token }: ChunkPart,
  hasPages: boolean,
): AsyncGenerator<Uint8Array> {
  if (token === undefined) {
    yield* linesNotRun(fx, batch, chunk);
    return;
  }
  const stored = await fx.results.open(partKey(chunk, token, hasPages ? 'pages' : 'heads'));
  if (stored === undefined) return;
  const lines = pipeline(stored, createGunzip(), () => undefined);
  for await (const { content } of splitLines(lines, undefined, Infinity)) if (content) yield content;
}
