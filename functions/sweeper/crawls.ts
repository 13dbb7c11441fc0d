import type { Crawl } from '../../shared/contract/crawls/crawl.ts';
import { changed } from '../../shared/domain/crawls/crawl-state.ts';
import type { Needs } from './jobs.ts';
import type { Due } from './sweep-due.ts';

/** Crawls that nobody has planned for a while: a message or a merge is lost, or their time is up. */
export function dueCrawls(fx: Needs): Due<Crawl, 'resent'> {
  return {
    name: 'crawls',
    list: (limit) => fx.crawls.due(fx.now(), limit),
    idOf: ({ id }) => id,
    moveOn: async (crawl) => {
      // Another process that has changed it has planned it.
      if (!(await fx.crawls.replace(crawl, changed(crawl, {}, fx.now())))) return undefined;
      await fx.queue.planCrawl(crawl);
      return { resent: 1 };
    },
    concurrency: 20,
  };
}
