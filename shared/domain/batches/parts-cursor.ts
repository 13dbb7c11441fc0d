import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** How many parts of each chunk were read, and lines of one more part. */
export type PartsRead = { parts: ReadonlyMap<number, number>; within?: { index: number; lines: number } };

/** All parts of a chunk that has no more. Long runs of one number make a short cursor. */
export const ALL_PARTS = 0xff_ff;
/** Two bytes for each of 4,096 chunks. */
const MAX_BYTES = 8_192;
const NOTHING = '-';

export function placeWithin(within: PartsRead['within']): string {
  return within ? `.${within.index}.${within.lines}` : '';
}

/** Text for a URL, which `readPartsCursor` understands. `placeWithin` may follow. */
export function writtenParts(parts: ReadonlyMap<number, number>): string {
  if (parts.size === 0) return NOTHING;
  const counts = Array.from({ length: Math.max(...parts.keys()) + 1 }, (_, index) => parts.get(index) ?? 0);
  return deflateRawSync(new Uint8Array(Uint16Array.from(counts).buffer)).toString('base64url');
}

/** Undefined for text that is no such cursor. */
export function readPartsCursor(cursor: string, chunks: number): PartsRead | undefined {
  const [, written, index, lines] = /^([\w-]+)(?:\.(\d{1,4})\.(\d{1,3}))?$/.exec(cursor) ?? [];
  const counts = written === undefined ? undefined : readParts(written);
  if (counts === undefined || counts.length > chunks || Number(index ?? 0) > chunks) return undefined;
  const parts = new Map(counts.flatMap((count, at) => (count > 0 ? [[at, count] as const] : [])));
  return index === undefined ? { parts } : { parts, within: { index: Number(index), lines: Number(lines) } };
}

function readParts(written: string): number[] | undefined {
  if (written === NOTHING) return [];
  try {
    const bytes = inflateRawSync(Buffer.from(written, 'base64url'), { maxOutputLength: MAX_BYTES });
    return bytes.length % 2 === 0 ? [...new Uint16Array(Uint8Array.from(bytes).buffer)] : undefined;
  } catch {
    return undefined;
  }
}
