// Crawls one page again and again, as often as each message says, and answers with the milliseconds.
import { CheerioCrawler, Configuration, log, LogLevel } from '@crawlee/cheerio';

log.setLevel(LogLevel.ERROR);

/** Throws if a page is incomplete. */
async function crawl({ url, holds, count, concurrency }) {
  let whole = 0;
  const crawler = new CheerioCrawler(
    {
      minConcurrency: concurrency,
      maxConcurrency: concurrency,
      requestHandler({ body }) {
        if (body.toString().includes(holds)) whole += 1;
      },
    },
    new Configuration({ persistStorage: false }),
  );
  const requests = Array.from({ length: count }, (_, n) => ({ url, uniqueKey: String(n) }));
  const startedAt = performance.now();
  await crawler.run(requests);
  const took = performance.now() - startedAt;
  if (whole < count) throw new Error(`Crawlee: ${count - whole} of ${count} pages are not whole.`);
  return took;
}

process.on('message', (wanted) => void crawl(wanted).then((ms) => process.send(ms)));
