import type { Crawl } from '../../contract/crawls/crawl.ts';
import type { CrawlParts } from '../../contract/crawls/crawl-view.ts';
import { afterWave, readCrawlCursor } from '../../domain/crawls/crawl-cursor.ts';
import { listParts, type ListPartsNeeds } from '../batches/list-parts.ts';
import type { ChunkPart } from '../batches/parts-after.ts';
import { continued, hasResults, type WaveNeeds, type Waves, waveAt } from './crawl-results.ts';

export type CrawlPartNeeds = ListPartsNeeds & WaveNeeds;

/**
 * Links to stored parts of one merged wave that the cursor does not cover, with the numbers of lines in them
 * that are no results. Throws `invalid_request` for a cursor of another crawl.
 */
export async function listCrawlParts(
  fx: CrawlPartNeeds,
  crawl: Crawl,
  waves: Waves,
  cursor: string | undefined,
): Promise<CrawlParts> {
  const at = readCrawlCursor(cursor, waves.length);
  const { wave, batch } = (await waveAt(fx, waves, at.wave)) ?? {};
  if (wave === undefined || batch === undefined) return withNext([], continued(crawl, waves, at));
  const { data, next_cursor: within } = await listParts(fx, batch, at.within, describedBy(wave));
  const after = within === undefined ? afterWave(at.wave) : { wave: at.wave, within };
  return withNext(data, continued(crawl, waves, after));
}

const withNext = (data: CrawlParts['data'], next: string | undefined): CrawlParts => ({
  data,
  ...(next !== undefined && { next_cursor: next }),
});

function describedBy({ dropped = [] }: Waves[number]) {
  return ({ chunk, token }: ChunkPart) => {
    if (token === undefined) return hasResults(chunk.rest) ? {} : undefined;
    const end = chunk.firstLine + chunk.lines;
    const own = dropped.filter((line) => line >= chunk.firstLine && line < end);
    return own.length > 0 ? { dropped: own } : {};
  };
}
