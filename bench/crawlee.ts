import { CheerioCrawler, Configuration, log, LogLevel } from '@crawlee/cheerio';
import { rounded } from './compare.ts';
import type { Contender } from './contender.ts';
import { CONCURRENCY, load } from './measure.ts';
import { type BenchPage, PAGES } from './pages/pages.ts';

/** Pages of one crawl, a few seconds. The first crawl compiles the code and is not measured. */
const CRAWL = 100;

type Options = { origin: string; loadMs: number; loadTurns: number; without: readonly number[] };

/** The warm stack beside Crawlee, the crawler developers use without a service, in turns. */
export async function crawleeRow(stack: Contender, { origin, loadMs, loadTurns, without }: Options) {
  const page = PAGES.medium;
  await crawl(origin, page, CRAWL);
  let [ours, oursMs, theirs, theirsMs] = [0, 0, 0, 0];
  for (let turn = 0; turn < loadTurns; turn += 1) {
    const { pages, ms } = await load(stack, page, loadMs, without);
    [ours, oursMs] = [ours + pages, oursMs + ms];
    [theirs, theirsMs] = [theirs + CRAWL, theirsMs + (await crawl(origin, page, CRAWL))];
  }
  const [stackRate, crawleeRate] = [(ours / oursMs) * 1_000, (theirs / theirsMs) * 1_000];
  return {
    stack_pages_per_second: rounded(stackRate),
    crawlee_pages_per_second: rounded(crawleeRate),
    ratio: rounded(stackRate / crawleeRate),
  };
}

/** Milliseconds of a crawl of one page at the stack's concurrency. Throws if a page is incomplete. */
async function crawl(origin: string, { path, holds }: BenchPage, count: number): Promise<number> {
  log.setLevel(LogLevel.ERROR);
  let whole = 0;
  const crawler = new CheerioCrawler(
    {
      minConcurrency: CONCURRENCY,
      maxConcurrency: CONCURRENCY,
      requestHandler({ body }) {
        if (body.toString().includes(holds)) whole += 1;
      },
    },
    new Configuration({ persistStorage: false }),
  );
  const requests = Array.from({ length: count }, (_, n) => ({ url: origin + path, uniqueKey: String(n) }));
  const startedAt = performance.now();
  await crawler.run(requests);
  const took = performance.now() - startedAt;
  if (whole < count) throw new Error(`Crawlee: ${count - whole} of ${count} pages are not whole.`);
  return took;
}
