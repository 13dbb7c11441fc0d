import { z } from 'zod';
import { Crawl } from '../../../contract/crawls/crawl.ts';
import { isoDate } from '../../../contract/time.ts';
import type { Crawls } from '../../../ports/crawls.ts';
import { openJobTable } from '../job-table.ts';
import { IS_NEW, type TableOptions } from '../table.ts';

/** The partition of the index `open` with crawls whose end was not reported. */
const OPEN = 'CRAWLS';
const PREFIX = 'CRAWL#';

const keyOf = (id: string) => ({ pk: PREFIX + id });
const crawlsOf = (orgId: string) => `CRAWLS#${orgId}`;

/** The Crawls port on the table of jobs: `CRAWL#<id>` items, in its indexes `open` and `by_org`. */
export function dynamodbCrawls(options: TableOptions): Crawls {
  const table = openJobTable(options);
  return {
    create: (crawl) => table.put(crawlItem(crawl), IS_NEW),

    find: async (id) => {
      const item = await table.get(keyOf(id));
      return item && Crawl.parse(item);
    },

    replace: ({ revision }, after) =>
      table.put(crawlItem(after), {
        condition: ['revision = :revision'],
        values: { ':revision': revision },
      }),

    list: async (orgId, { before, limit }) => {
      const range = { before: before && PREFIX + before, limit };
      const { keys, next } = await table.keysOf(crawlsOf(orgId), range);
      const crawls = (await table.getAll(keys)).map((item) => Crawl.parse(item));
      crawls.sort((a, b) => (a.id < b.id ? 1 : -1));
      return { crawls, ...(next && { next: next.slice(PREFIX.length) }) };
    },

    due: async (now, limit) =>
      (await table.due(OPEN, z.encode(isoDate, now), limit)).map((item) => Crawl.parse(item)),
  };
}

/** Only a crawl with a time at which it is due is in the index `open`. */
function crawlItem(crawl: Crawl) {
  return {
    ...keyOf(crawl.id),
    job_of: crawlsOf(crawl.orgId),
    ...z.encode(Crawl, crawl),
    ...(crawl.dueAt && { open_shard: OPEN }),
  };
}
