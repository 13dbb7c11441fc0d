import type { Batch } from '../../../shared/contract/batches/batch.ts';
import type { Chunk } from '../../../shared/contract/batches/chunk.ts';
import type { RequestLog } from '../../../shared/observe/request-log.ts';
import type { ChunkNeeds } from '../../../shared/use-cases/batches/settle-chunk.ts';
import { addMs, SECOND_MS } from '../../../shared/time/units.ts';
import { type HeldPlace, type HostNeeds, type Prospect, visitHost } from '../crawls/visit-host.ts';
import type { Ran } from './run-lines.ts';
import { giveUpChunk } from './leave-chunk.ts';

/** How busy hosts are seen by this worker. */
export type Hosts = {
  /** Requests of all crawls to one host at once. */
  hostConcurrency: number;
  /** No other chunk of the crawl and the host of this one is tried before. */
  hostIsFull: (chunk: Chunk, known: { until: Date; isOwn: boolean }) => void;
};

/** Another worker may leave a full host at any moment. */
const FULL_MS = SECOND_MS;

/** A place at the host of a chunk; none for one of no crawl. Or how the chunk fares without a place. */
export async function takeHost(
  fx: ChunkNeeds & HostNeeds,
  { batch, chunk, until }: { batch: Batch; chunk: Chunk; until: Date },
  { hostConcurrency, hostIsFull, requestLog }: Hosts & { requestLog: RequestLog },
): Promise<HeldPlace | undefined | 'done' | 'full'> {
  const { crawl } = chunk;
  if (crawl === undefined) return undefined;
  const visited = await visitHost(fx, { ...chunk, crawl }, { until, hostConcurrency });
  if (!('outcome' in visited)) return visited;
  if (visited.outcome === 'given_up') return giveUpChunk(fx, batch, chunk, 'host_unavailable', requestLog);
  const isFull = visited.outcome === 'full';
  hostIsFull(chunk, {
    until: isFull ? addMs(fx.now(), FULL_MS) : new Date(visited.at),
    isOwn: !isFull || visited.isOwn,
  });
  requestLog.note({ status: 'no place at the host' });
  return 'full';
}

const NOTHING: Prospect = { isGivenUp: false };

/** Frees the place after its lines were run. */
export async function leaveHost(place: HeldPlace | undefined, { results, refusal }: Ran): Promise<Prospect> {
  if (place === undefined) return NOTHING;
  const hasAnswered = results.some(({ head }) => head['target_status'] !== undefined);
  return place.leave({ hasAnswered, ...(refusal && { refusal }) });
}
