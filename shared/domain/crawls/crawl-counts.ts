import { type Crawl, Outcome } from '../../contract/crawls/crawl.ts';

/** How many lines of the wave have ended at this moment, and how many are in progress. */
export type WaveProgress = { ended: number; running: number };

/** Discovered URLs: each is either waiting, in progress, or has one outcome. */
export type CrawlCounts = Record<Outcome, number> & Record<'discovered' | 'pending' | 'running', number>;

/**
 * The counts of a crawl, all from one read of it. Progress of its wave only divides the wave between
 * `pending` and `running`; what has ended is `running` until it is merged.
 */
export function crawlCounts(
  { outcomes, queued, wave: { lines } = { batchId: '', firstLine: 0, lines: 0 } }: CountedCrawl,
  { ended, running: inProgress }: WaveProgress = { ended: 0, running: 0 },
): CrawlCounts {
  const running = Math.min(lines, ended + inProgress);
  const pending = queued + lines - running;
  const ofEach = Object.fromEntries(
    Outcome.options.map((outcome) => [outcome, outcomes[outcome] ?? 0]),
  ) as Record<Outcome, number>;
  const discovered = Object.values(ofEach).reduce((sum, count) => sum + count, pending + running);
  return { discovered, pending, running, ...ofEach };
}

type CountedCrawl = Pick<Crawl, 'outcomes' | 'queued' | 'wave'>;
