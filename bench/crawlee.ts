import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { rounded } from './compare.ts';
import type { Contender } from './contender.ts';
import { CONCURRENCY, load } from './measure.ts';
import { PAGES } from './pages/pages.ts';

/** Pages of one crawl, a few seconds. The first crawl compiles the code and is not measured. */
const CRAWL = 100;

type Options = { origin: string; loadMs: number; loadTurns: number; without: readonly number[] };

/** The warm stack beside Crawlee, the crawler developers use without a service, in turns. */
export async function crawleeRow(stack: Contender, { origin, loadMs, loadTurns, without }: Options) {
  const page = PAGES.medium;
  const crawler = fork(fileURLToPath(new URL('crawlee/crawl.js', import.meta.url)));
  const failed = failureOf(crawler);
  const crawl = async (): Promise<number> => {
    const url = origin + page.path;
    crawler.send({ url, holds: page.holds, count: CRAWL, concurrency: CONCURRENCY });
    const [ms] = (await Promise.race([once(crawler, 'message'), failed])) as [number];
    return ms;
  };
  await crawl();
  let [ours, oursMs, theirs, theirsMs] = [0, 0, 0, 0];
  for (let turn = 0; turn < loadTurns; turn += 1) {
    const { pages, ms } = await load(stack, page, loadMs, without);
    [ours, oursMs] = [ours + pages, oursMs + ms];
    [theirs, theirsMs] = [theirs + CRAWL, theirsMs + (await crawl())];
  }
  crawler.disconnect();
  const [stackRate, crawleeRate] = [(ours / oursMs) * 1_000, (theirs / theirsMs) * 1_000];
  return {
    stack_pages_per_second: rounded(stackRate),
    crawlee_pages_per_second: rounded(crawleeRate),
    ratio: rounded(stackRate / crawleeRate),
  };
}

async function failureOf(child: ChildProcess): Promise<never> {
  const [code] = (await once(child, 'exit')) as [number];
  throw new Error(`Crawlee ended with ${code}.`);
}
