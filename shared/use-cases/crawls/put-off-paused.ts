import type { Batch } from '../../contract/batches/batch.ts';
import type { Chunk } from '../../contract/batches/chunk.ts';
import type { Crawl } from '../../contract/crawls/crawl.ts';
import { chunkIdOf } from '../../domain/batches/chunk-id.ts';
import { putOff } from '../../domain/batches/chunk-state.ts';
import { pauseAfter } from '../../domain/crawls/next-wave.ts';
import type { Effects } from '../../ports/effects.ts';
import { forEachConcurrently } from '../../time/for-each-concurrently.ts';
import { addMs, SECOND_MS } from '../../time/units.ts';
import { type ChunkNeeds, settleChunk } from '../batches/settle-chunk.ts';
import { type FileNeeds, readManifest } from './crawl-files.ts';

type Needs = ChunkNeeds & FileNeeds & Pick<Effects, 'targetHosts'>;

/** A shorter pause is waited for. */
const SHORTEST_MS = 10 * SECOND_MS;
/** Read at once: a chunk is about a kilobyte. */
const PAGE = 500;
const CONCURRENCY = 20;

/**
 * Once only paused hosts hold a wave up, leaves their lines to a later one. If nothing of the wave has ended,
 * only for URLs of other hosts: without them, the next wave would be the same.
 */
export async function putOffPaused(fx: Needs, crawl: Crawl, batch: Batch): Promise<void> {
  const { chunks: count = 0 } = batch.upload;
  const progress = await fx.chunks.progress(batch.id, count);
  const done = new Set(progress.filter(({ isDone }) => isDone).map(({ index }) => index));
  // A chunk that no worker has run has no progress.
  const indexes = Array.from({ length: count }, (_, index) => index).filter((index) => !done.has(index));
  const open = indexes.map((index) => chunkIdOf(batch.id, index));
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
  const hasEnded = progress.some(({ isDone, parts }) => isDone || parts > 0);
  if (!hasEnded && !(await othersWait(fx, crawl, ends))) return;
  await forEachConcurrently(CONCURRENCY, paused, async ({ chunk, until }) => {
    const left = putOff(chunk, until, fx.now());
    if (await fx.chunks.replace(chunk, left)) await settleChunk(fx, batch, left);
  });
}

async function pauseAt({ targetHosts }: Needs, host: string, crawlId: string): Promise<Date> {
  const found = await targetHosts.find(host);
  return new Date(found?.crawls[crawlId]?.pausedUntil ?? 0);
}

/** Whether the queue has URLs of a host that is in no pause. */
async function othersWait(
  fx: Needs,
  { manifest = '' }: Crawl,
  paused: ReadonlyMap<string, Date>,
): Promise<boolean> {
  const { queue, hosts } = await readManifest(fx, manifest);
  const now = fx.now();
  const pauses = new Map(hosts.map((host) => [host.host, pauseAfter(now, host)]));
  const isOpen = (host: string) => !paused.has(host) && pauses.get(host) === undefined;
  return queue.some((part) => part.hosts?.some(isOpen));
}
