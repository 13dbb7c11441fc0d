import type { Batch } from '../../contract/batches/batch.ts';
import type { Chunk } from '../../contract/batches/chunk.ts';
import type { Crawl } from '../../contract/crawls/crawl.ts';
import { WaveLine } from '../../contract/crawls/wave.ts';
import { newChunk, released } from '../batches/chunk-state.ts';
import type { Line } from '../batches/split-lines.ts';
import { READ_AGAIN_MS } from '../batches/state.ts';
import { addMs } from '../../time/units.ts';
import { hostOf } from './crawl-rules.ts';

/**
 * URLs of a crawl that are fetched together: see `makeWave`. `sizes`: lines of each chunk; absent, as many as
 * a chunk has room for.
 */
export type NewWave = {
  batchId: string;
  firstLine: number;
  lines: number;
  key: string;
  sizes?: readonly number[];
};

/** Lines of a chunk, all of one host. A turn makes as many writes for one line as for all. */
export const MAX_CHUNK_LINES = 500;
/** Chunks that the ids of a batch have room for. */
const MAX_CHUNKS = 4_096;

/** The batch of a wave, which is not accepted yet. `version`: of the stored lines. */
export function waveBatch(crawl: Crawl, { batchId, key }: NewWave, version: string, now: Date): Batch {
  const { orgId, keyId, requestId, deadlineAt, expiresAt, tags, request } = crawl;
  return {
    ...{ id: batchId, crawlId: crawl.id, orgId, keyId, requestId, deadlineAt, expiresAt },
    ...(tags && { tags }),
    state: 'reading',
    total: 0,
    upload: { key, version, defaults: request.request },
    createdAt: now,
    startedAt: now,
    dueAt: addMs(now, READ_AGAIN_MS),
  };
}

/**
 * Cuts the lines of a wave, in their order, where their host changes or a chunk is full. A chunk whose lines
 * all wait for another attempt begins when the last of them may.
 */
export async function cutWave(
  crawl: Crawl,
  batch: Batch,
  lines: AsyncIterable<Line>,
  sizes: readonly number[] = [],
): Promise<Chunk[]> {
  const { manifest, request } = crawl;
  const { concurrency, robots: policy } = request;
  const robots = policy === 'obey' ? manifest : undefined;
  const cut: Chunk[] = [];
  const dues: Date[][] = [];
  let open: Chunk | undefined;
  for await (const { line, at, bytes, content } of lines) {
    const { url, crawl: about } = WaveLine.parse(JSON.parse(String(content)));
    const host = hostOf(new URL(url));
    if (open?.crawl?.host !== host || open.lines === (sizes[cut.length - 1] ?? MAX_CHUNK_LINES)) {
      const place = { index: cut.length, at, bytes: 0, lines: 0, firstLine: line };
      const polite = { concurrency, ...(about.delay && { delay: about.delay }), ...(robots && { robots }) };
      open = { ...newChunk(batch, place), crawl: { id: crawl.id, host, ...polite } };
      cut.push(open);
      dues.push([]);
    }
    if (about.due) dues.at(-1)?.push(new Date(about.due));
    open.bytes = at + bytes - open.at;
    open.lines += 1;
  }
  if (cut.length > MAX_CHUNKS) throw new Error(`A wave has ${cut.length} chunks.`);
  return cut.map((chunk, n) => startingAt(batch, chunk, dues[n] ?? []));
}

function startingAt(batch: Batch, chunk: Chunk, dues: readonly Date[]): Chunk {
  const last = new Date(Math.max(...dues.map(Number)));
  const isLater = dues.length === chunk.lines && last > batch.createdAt;
  return isLater ? released(chunk, batch, last) : chunk;
}
