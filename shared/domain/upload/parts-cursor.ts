import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** How many parts of each chunk were read, and lines of one more part. */
export type PartsRead = { parts: ReadonlyMap<number, number>; within?: { index: number; lines: number } };

/** Longer than any: 4,096 chunks with a part of a byte each. */
const MOST_BYTES = 65_536;
const NOTHING = '-';

/** Text for a URL, which `readPartsCursor` understands. The map is written once for all lines of a part. */
export function partsCursor({ parts, within }: PartsRead): string {
  return `${writtenParts(parts)}${placeWithin(within)}`;
}

export function placeWithin(within: PartsRead['within']): string {
  return within ? `.${within.index}.${within.lines}` : '';
}

export function writtenParts(parts: ReadonlyMap<number, number>): string {
  if (parts.size === 0) return NOTHING;
  const counts = Array.from({ length: Math.max(...parts.keys()) + 1 }, (_, index) => parts.get(index) ?? 0);
  return deflateRawSync(counts.join(' ')).toString('base64url');
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
    const text = inflateRawSync(Buffer.from(written, 'base64url'), {
      maxOutputLength: MOST_BYTES,
    }).toString();
    return /^\d+( \d+)*$/.test(text) ? text.split(' ').map(Number) : undefined;
  } catch {
    return undefined;
  }
}
