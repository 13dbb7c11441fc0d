/** The twelve bits of a UUIDv7 after its time and version. */
const AFTER_TIME = /^(.{15})(.{3})(.*)$/;

/**
 * The id of a chunk: its batch's own, with the index in the twelve bits after the time. So it is known
 * without a look-up. Indexes are below 4,096.
 */
export function chunkIdOf(batchId: string, index: number): string {
  return batchId.replace(AFTER_TIME, `$1${index.toString(16).padStart(3, '0')}$3`);
}

/** The index of a chunk in a batch; undefined for what is outside it. */
export function indexOf(batchId: string, id: string): number | undefined {
  const index = Number.parseInt(AFTER_TIME.exec(id)?.[2] ?? '', 16);
  return Number.isInteger(index) && chunkIdOf(batchId, index) === id ? index : undefined;
}
