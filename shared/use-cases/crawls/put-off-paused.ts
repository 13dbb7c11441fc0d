import type { Batch } from '../../contract/batches/batch.ts';
import type { Chunk } from '../../contract/batches/chunk.ts';
import type { Crawl } from '../../contract/crawls/crawl.ts';
import { chunkIdOf } from '../../domain/batches/chunk-id.ts';
import { putOff } from '../../domain/batches/chunk-state.ts';
import type { Effects } from '../../ports/effects.ts';
import { forEachConcurrently } from '../../time/for-each-concurrently.ts';
import { addMs, SECOND_MS } from '../../time/units.ts';
import { type ChunkNeeds, settleChunk } from '../batches/settle-chunk.ts';

type Needs = ChunkNeeds & Pick<Effects, 'targetHosts'>;

/** A shorter pause is waited for. */
const SHORTEST_MS = 10 * SECOND_MS;
/** Read at once: a chunk is about a kilobyte. */
const PAGE = 500;
const CONCURRENCY = 20;

/**
 * Once only paused hosts hold a wave up, leaves their lines to a later one. Does nothing to a wave of which
 * nothing has ended: without its pages, the next wave would be the same.
 */
export async function putOffPaused(fx: Needs, crawl: Crawl, batch: Batch): Promise<void> {
  const progress = await fx.chunks.progress(batch.id, batch.upload.chunks ?? 0);
  if (!progress.some(({ isDone, parts }) => isDone || parts > 0)) return;
  const open = progress.filter(({ isDone }) => !isDone).map(({ index }) => chunkIdOf(batch.id, index));
  const ends = new Map<string, Date>();
  const paused: { chunk: Chunk; until: Date }[] = [];
  for (let at = 0; at < open.length; at += PAGE) {
    for (const chunk of await fx.chunks.findAll(open.slice(at, at + PAGE))) {
      const { host = '' } = chunk.crawl ?? {};
      const until = ends.get(host) ?? (await pauseAt(fx, host, crawl.id));
      if (chunk.status !== 'waiting' || until < addMs(fx.now(), SHORTEST_MS)) return;
      ends.set(host, until);
      paused.push({ chunk, until });
    }
  }
  await forEachConcurrently(CONCURRENCY, paused, async ({ chunk, until }) => {
    const left = putOff(chunk, until, fx.now());
    if (await fx.chunks.replace(chunk, left)) await settleChunk(fx, batch, left);
  });
}

async function pauseAt({ targetHosts }: Needs, host: string, crawlId: string): Promise<Date> {
  const found = await targetHosts.find(host);
  return new Date(found?.crawls[crawlId]?.pausedUntil ?? 0);
}
