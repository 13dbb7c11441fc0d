import { z } from 'zod';
import type { Chunk } from '../../../contract/batches/chunk.ts';
import { VerdictKind } from '../../../contract/scrape/verdict.ts';
import { linesLeft, partsOf } from '../../../domain/batches/chunk-state.ts';
import type { ChunkProgress } from '../../../ports/batches.ts';

/** The version first, then what `progressIn` reads. */
const number = z.int();
const Entry = z.tuple([number, number, number, number, number, number, number, number, z.string()]);
type Entry = z.infer<typeof Entry>;

/** How far a chunk is, as stored beside others. */
export function chunkEntry(chunk: Chunk): Entry {
  const { version, completed, failed, invalid, credits, charged, verdicts } = chunk;
  return [
    version,
    completed,
    failed,
    invalid,
    credits,
    partsOf(chunk).length,
    linesLeft(chunk) === 0 ? 1 : 0,
    charged,
    written(verdicts),
  ];
}

/** How far the chunks are whose entries an item has as `k<index>`. */
export function progressIn(item: Record<string, unknown>): ChunkProgress[] {
  return Object.entries(item).flatMap(([name, value]) => {
    const [, index] = /^k(\d+)$/.exec(name) ?? [];
    if (index === undefined) return [];
    const [, completed, failed, invalid, credits, parts, done, charged, verdicts] = Entry.parse(value);
    const counts = { completed, failed, invalid, credits, charged, verdicts: read(verdicts) };
    return [{ index: Number(index), ...counts, parts, isDone: done === 1 }];
  });
}

/** Short, since twenty entries share an item: `0:24 1:1`, by the places of the verdicts among their kinds. */
function written(verdicts: Chunk['verdicts']): string {
  const counts = VerdictKind.options.map((kind, place) => [place, verdicts[kind] ?? 0] as const);
  return counts
    .filter(([, count]) => count > 0)
    .map((pair) => pair.join(':'))
    .join(' ');
}

function read(text: string): Chunk['verdicts'] {
  const pairs = text.split(' ').filter(Boolean);
  return Object.fromEntries(
    pairs.flatMap((pair) => {
      const [place = 0, count = 0] = pair.split(':').map(Number);
      const kind = VerdictKind.options[place];
      return kind ? [[kind, count]] : [];
    }),
  );
}
