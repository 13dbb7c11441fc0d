import { hash } from 'node:crypto';

/**
 * Tables of 64-bit keys with a number each, sorted by key, of any size: they are read and written as streams,
 * so only what is looked up or changed is in memory (Mercator's sieve).
 */
export type Table = AsyncIterable<Uint8Array>;

/** A row: eight bytes of the key and four of the number, big-endian. */
export const ROW_BYTES = 12;
const KEY_BYTES = 8;

/** The first 64 bits of the text's SHA-256: with 25 million keys, two are the same once in 60,000 crawls. */
export function fingerprint(text: string): bigint {
  return hash('sha256', text, 'buffer').readBigUInt64BE(0);
}

/** The numbers of these keys, as far as the table has them. */
export async function lookUp(table: Table, keys: Iterable<bigint>): Promise<Map<bigint, number>> {
  const wanted = sorted(keys);
  const found = new Map<bigint, number>();
  let next = 0;
  for await (const rows of wholeRows(table)) {
    for (let row = 0; row < rows.length && next < wanted.length; row += ROW_BYTES) {
      // Most rows are before the key: half of it says so without a bigint.
      if (rows.readUInt32BE(row) < high(wanted, next)) continue;
      const key = rows.readBigUInt64BE(row);
      while (next < wanted.length && at(wanted, next) < key) next += 1;
      if (next < wanted.length && at(wanted, next) === key)
        found.set(key, rows.readUInt32BE(row + KEY_BYTES));
    }
    if (next === wanted.length) break;
  }
  return found;
}

/** The table with these rows changed or added. A row whose number is 0 is left out. */
export async function* withRows(table: Table, changes: ReadonlyMap<bigint, number>): AsyncGenerator<Buffer> {
  const keys = sorted(changes.keys());
  let next = 0;
  const taken = (until: bigint | undefined): Buffer => {
    const rows: Buffer[] = [];
    for (; next < keys.length && (until === undefined || at(keys, next) <= until); next += 1)
      rows.push(rowOf(at(keys, next), changes.get(at(keys, next)) ?? 0));
    return Buffer.concat(rows);
  };
  for await (const rows of wholeRows(table)) {
    const pieces: Buffer[] = [];
    let kept = 0;
    for (let row = 0; row < rows.length && next < keys.length; row += ROW_BYTES) {
      if (rows.readUInt32BE(row) < high(keys, next)) continue;
      const key = rows.readBigUInt64BE(row);
      if (key < at(keys, next)) continue;
      pieces.push(rows.subarray(kept, row), taken(key));
      kept = changes.has(key) ? row + ROW_BYTES : row;
    }
    yield Buffer.concat([...pieces, rows.subarray(kept)]);
  }
  yield taken(undefined);
}

function rowOf(key: bigint, number: number): Buffer {
  if (number === 0) return Buffer.alloc(0);
  const row = Buffer.allocUnsafe(ROW_BYTES);
  row.writeBigUInt64BE(key);
  row.writeUInt32BE(number, KEY_BYTES);
  return row;
}

function sorted(keys: Iterable<bigint>): BigUint64Array {
  return BigUint64Array.from([...new Set(keys)]).sort();
}

const at = (keys: BigUint64Array, index: number): bigint => keys[index] ?? 0n;
const HALF = 32n;
const high = (keys: BigUint64Array, index: number): number => Number(at(keys, index) >> HALF);

/** Pieces of a stream as they come, but cut between rows. */
async function* wholeRows(table: Table): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of table) {
    const bytes =
      rest.length > 0
        ? Buffer.concat([rest, piece])
        : Buffer.from(piece.buffer, piece.byteOffset, piece.length);
    const end = bytes.length - (bytes.length % ROW_BYTES);
    rest = bytes.subarray(end);
    yield bytes.subarray(0, end);
  }
}
