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
  type ResultView,
} from '../batches/batch-results.ts';

export type Waves = ShownManifest['waves'];
type Wave = Waves[number];

export type WaveNeeds = { batches: Pick<Effects['batches'], 'find'> };
export type CrawlResultNeeds = BatchResultNeeds & WaveNeeds;

/** Waves without a result that are passed over for one response. */
const MAX_EMPTY = 20;

/**
 * Result lines of merged waves that the cursor does not cover, wave by wave. No line is repeated or skipped
 * while the crawl runs. Throws `invalid_request` for a cursor of another crawl.
 */
export async function crawlResults(
  fx: CrawlResultNeeds,
  crawl: Crawl,
  waves: Waves,
  { cursor, include }: CrawlResultsQuery,
): Promise<BatchResults> {
  let at = readCrawlCursor(cursor, waves.length);
  for (let empty = 0; empty < MAX_EMPTY; empty++) {
    const { wave, batch } = (await waveAt(fx, waves, at.wave)) ?? {};
    if (wave === undefined || batch === undefined) break;
    const query = { cursor: at.within, include };
    const { lines, next } = await batchResults(fx, batch, query, viewOf(crawl, wave, at.wave));
    at = next === undefined ? afterWave(at.wave) : { wave: at.wave, within: next };
    if (!(lines instanceof Buffer) || lines.byteLength > 0)
      return { lines, next: continued(crawl, waves, at) };
  }
  return { lines: Buffer.alloc(0), next: continued(crawl, waves, at) };
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
