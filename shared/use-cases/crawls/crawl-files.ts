import { pipeline, type Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { createGunzip, gzip } from 'node:zlib';
import { z } from 'zod';
import { Manifest } from '../../contract/crawls/manifest.ts';
import { splitLines } from '../../domain/batches/split-lines.ts';
import { ROW_BYTES, type Table } from '../../domain/crawls/sorted-table.ts';
import { GZIP } from '../../gzip.ts';
import type { Results } from '../../ports/jobs.ts';

export type FileNeeds = { results: Pick<Results, 'put' | 'open'> };

const compressed = promisify(gzip);
/** Of a part of a table. */
const PART_BYTES = 500_000 * ROW_BYTES;

async function opened({ results }: FileNeeds, key: string): Promise<Readable> {
  const stream = await results.open(key);
  if (stream === undefined) throw new Error('A file of the crawl is gone.');
  return stream;
}

const unzipped = async (fx: FileNeeds, key: string) =>
  pipeline(await opened(fx, key), createGunzip(), () => undefined);

export async function readManifest(fx: FileNeeds, key: string): Promise<Manifest> {
  return Manifest.parse(JSON.parse((await buffer(await unzipped(fx, key))).toString()));
}

export async function storeManifest(fx: FileNeeds, key: string, manifest: Manifest): Promise<void> {
  await fx.results.put(key, await compressed(JSON.stringify(z.encode(Manifest, manifest)), GZIP));
}

/** The lines of JSON in a file. */
export async function* linesIn<T>(fx: FileNeeds, key: string, schema: z.ZodType<T>): AsyncGenerator<T> {
  for await (const { content } of splitLines(await unzipped(fx, key), undefined, Infinity))
    if (content) yield schema.parse(JSON.parse(content.toString()));
}

/** A table that is stored in parts. */
export async function* tableIn(fx: FileNeeds, keys: readonly string[]): Table {
  for (const key of keys) yield* await opened(fx, key);
}

/** Stores a table in parts, each under the key for its number, and returns the keys. */
export async function storeTable(
  { results }: FileNeeds,
  keyOf: (part: number) => string,
  table: Table,
): Promise<string[]> {
  const keys: string[] = [];
  let [pieces, bytes] = [[] as Uint8Array[], 0];
  const store = async () => {
    if (bytes === 0) return;
    const key = keyOf(keys.length);
    await results.put(key, Buffer.concat(pieces));
    keys.push(key);
    [pieces, bytes] = [[], 0];
  };
  for await (const piece of table) {
    // What follows may be read into the same memory.
    pieces.push(Buffer.from(piece));
    bytes += piece.length;
    if (bytes >= PART_BYTES) await store();
  }
  await store();
  return keys;
}

export type LineWriter<T> = {
  /** How many lines were added. */
  count: () => number;
  add: (line: T) => Promise<void>;
  /** Stores the last part. */
  close: () => Promise<void>;
};

/** Stores lines of JSON in parts of so many lines, and calls `stored` for each part. */
export function lineWriter<T>(
  { results }: FileNeeds,
  keyOf: (part: number) => string,
  most: number,
  stored: (key: string, lines: readonly T[]) => void,
): LineWriter<T> {
  let [count, part] = [0, 0];
  let lines: T[] = [];
  const close = async () => {
    if (lines.length === 0) return;
    const key = keyOf(part++);
    const full = lines;
    lines = [];
    await results.put(key, await compressed(full.map((line) => `${JSON.stringify(line)}\n`).join(''), GZIP));
    stored(key, full);
  };
  return {
    count: () => count,
    add: async (line) => {
      count += 1;
      lines.push(line);
      if (lines.length >= most) await close();
    },
    close,
  };
}
