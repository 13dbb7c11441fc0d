/**
 * Which results of a batch were read, as a cursor: a bit for each request. Results come in the order of
 * settlement, so no position in any other order says it.
 */
export function cursorOfRead(read: ReadonlySet<number>): string {
  const bytes = Buffer.alloc(Math.ceil((Math.max(-1, ...read) + 1) / 8));
  for (const index of read) bytes[index >> 3] = (bytes[index >> 3] ?? 0) | (1 << (index & 7));
  return bytes.toString('base64url') || NOTHING;
}

/** The indexes in a cursor for a batch of `total`; undefined for text that is no such cursor. */
export function readOfCursor(cursor: string, total: number): Set<number> | undefined {
  const bytes = Buffer.from(cursor === NOTHING ? '' : cursor, 'base64url');
  const read = new Set<number>();
  for (const [at, byte] of bytes.entries())
    for (let bit = 0; bit < 8; bit++) if (byte & (1 << bit)) read.add(at * 8 + bit);
  return cursorOfRead(read) === cursor && bytes.length <= Math.ceil(total / 8) ? read : undefined;
}

/** A query parameter without a value would read as a mistake. */
const NOTHING = '-';
