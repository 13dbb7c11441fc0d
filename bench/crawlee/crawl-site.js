// Crawls whole sites, and answers with what came: the milliseconds, the URLs of its pages, the most memory.
import { CheerioCrawler, Configuration, log, LogLevel } from '@crawlee/cheerio';

log.setLevel(LogLevel.ERROR);

const MEMORY_EVERY_MS = 200;
const MB = 1_000_000;
/** The parameters that the service drops as well. */
const DROPPED = /^(utm_\w+|gclid|phpsessid)$/i;

async function crawl({ seeds, concurrency }) {
  const pages = [];
  let mostMb = 0;
  const looking = setInterval(
    () => (mostMb = Math.max(mostMb, process.memoryUsage.rss() / MB)),
    MEMORY_EVERY_MS,
  );
  const crawler = new CheerioCrawler(
    {
      minConcurrency: concurrency,
      maxConcurrency: concurrency,
      async requestHandler({ request, enqueueLinks }) {
        pages.push(request.url);
        await enqueueLinks({ strategy: 'same-origin', transformRequestFunction: withoutCampaigns });
      },
    },
    new Configuration({ persistStorage: false }),
  );
  const startedAt = performance.now();
  await crawler.run(seeds);
  clearInterval(looking);
  return { ms: performance.now() - startedAt, pages, mostMb };
}

function withoutCampaigns(request) {
  const url = new URL(request.url);
  for (const name of [...url.searchParams.keys()]) if (DROPPED.test(name)) url.searchParams.delete(name);
  return { ...request, url: url.href };
}

process.on('message', (wanted) => void crawl(wanted).then((crawled) => process.send(crawled)));
