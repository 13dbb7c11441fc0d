import { Readable } from 'node:stream';
import type { Batch } from '../../contract/batches/batch.ts';
import type { Crawl } from '../../contract/crawls/crawl.ts';
import type { ShownManifest } from './read-manifest.ts';
import type { CrawlResultsQuery } from '../../contract/crawls/crawl-view.ts';
import {
  afterWave,
  type CrawlCursor,
  crawlCursor,
  readCrawlCursor,
} from '../../domain/crawls/crawl-cursor.ts';
import type { ErrorCode } from '../../errors.ts';
import type { Effects } from '../../ports/effects.ts';
import {
  batchResults,
  type BatchResultNeeds,
  type BatchResults,
  roomFor,
  type ResultView,
} from '../batches/batch-results.ts';

export type Waves = ShownManifest['waves'];
type Wave = Waves[number];

export type WaveNeeds = { batches: Pick<Effects['batches'], 'find'> };
export type CrawlResultNeeds = BatchResultNeeds & WaveNeeds;

/** Waves that are read for one response. */
const MAX_WAVES = 20;

/**
 * Result lines of merged waves that the cursor does not cover, wave by wave, as many as fit into a
 * response. No line is repeated or skipped while the crawl runs. Throws `invalid_request` for a cursor of
 * another crawl.
 */
export async function crawlResults(
  fx: CrawlResultNeeds,
  crawl: Crawl,
  waves: Waves,
  { cursor, include }: CrawlResultsQuery,
): Promise<Omit<BatchResults, 'bytes'>> {
  let at = readCrawlCursor(cursor, waves.length);
  let room = roomFor({ include });
  const found: BatchResults['lines'][] = [];
  for (let read = 0; read < MAX_WAVES && room > 0; read++) {
    const { wave, batch } = (await waveAt(fx, waves, at.wave)) ?? {};
    if (wave === undefined || batch === undefined) break;
    const query = { cursor: at.within, include };
    const view = viewOf(crawl, wave, at.wave);
    const { lines, next, bytes } = await batchResults(fx, batch, query, { view, room });
    found.push(lines);
    room -= bytes;
    at = next === undefined ? afterWave(at.wave) : { wave: at.wave, within: next };
    if (next !== undefined) break;
  }
  return { lines: joined(found), next: continued(crawl, waves, at) };
}

function joined(found: readonly BatchResults['lines'][]): BatchResults['lines'] {
  const buffers = found.flatMap((lines) => (lines instanceof Buffer ? [lines] : []));
  return buffers.length === found.length ? Buffer.concat(buffers) : Readable.from(contentOf(found));
}

async function* contentOf(found: readonly BatchResults['lines'][]): AsyncGenerator<Uint8Array> {
  for (const lines of found) {
    if (lines instanceof Buffer) yield lines;
    else yield* lines as AsyncIterable<Uint8Array>;
  }
}

/** Duplicates of other pages are no results, nor are most lines that were not run. */
function viewOf({ id }: Crawl, { dropped = [] }: Wave, number: number): ResultView {
  const left = new Set(dropped);
  return {
    owner: { crawl_id: id },
    cursorOf: (within) => crawlCursor({ wave: number, within }),
    isResult: (line) => !left.has(line),
    hasResults,
  };
}

/** Whether lines that were not run for this reason have failed. Others are in the ledger alone. */
export const hasResults = (code: ErrorCode | undefined): boolean => code === 'host_unavailable';

/** A merged wave with its batch. Undefined after the last one. */
export async function waveAt(
  { batches }: WaveNeeds,
  waves: Waves,
  number: number,
): Promise<{ wave: Wave; batch: Batch } | undefined> {
  const wave = waves[number];
  const batch = wave && (await batches.find(wave.batch_id));
  return wave && batch ? { wave, batch } : undefined;
}

/** The cursor for what follows; undefined once all has been read of a crawl that has ended. */
export function continued({ completedAt }: Crawl, waves: Waves, at: CrawlCursor): string | undefined {
  return completedAt !== undefined && at.wave >= waves.length ? undefined : crawlCursor(at);
}
