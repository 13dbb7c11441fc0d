import type { Route } from './route.ts';

const ofId = [{ name: 'id', in: 'path' }];
const ofPage = [...ofId, { name: 'skip', in: 'query' }, { name: 'cursor', in: 'query' }];

/** Its requests, responses and errors are another service's, which documents them. */
const undocumented = { summary: '', description: '', responses: {}, errors: [] } as const;
const asked = { ...undocumented, parameters: [], auth: 'key', bucket: 'scrape' } as const;
const scrapes = { ...asked, function: 'scraper', holds: true } as const;
const reads = { ...undocumented, parameters: ofId, auth: 'key', bucket: 'read' } as const;
/** They wait for their place, so that a client that follows `next` is not refused. */
const pages = { ...reads, parameters: ofPage, holds: true } as const;
const ofCrawls = { function: 'crawls', tag: 'Crawls' } as const;
const ofBatches = { function: 'batches', tag: 'Batches' } as const;
const ofAccount = { ...reads, parameters: [], function: 'account', tag: 'Account', method: 'GET' } as const;

/** Another service's API over the same use cases: see docs/firecrawl.md. OpenAPI leaves it out. */
export const compatRoutes = [
  { ...scrapes, method: 'POST', path: '/v2/scrape', operationId: 'compatScrape', tag: 'Scrape' },
  { ...scrapes, method: 'POST', path: '/v2/map', operationId: 'compatMap', tag: 'Map' },
  { ...scrapes, method: 'POST', path: '/v2/parse', operationId: 'compatParse', tag: 'Scrape' },

  { ...asked, ...ofCrawls, method: 'POST', path: '/v2/crawl', operationId: 'compatCrawl' },
  {
    ...reads,
    ...ofCrawls,
    ...{ method: 'GET', path: '/v2/crawl/active', operationId: 'compatActiveCrawls' },
    ...{ parameters: [], takesPlace: true },
  },
  { ...pages, ...ofCrawls, method: 'GET', path: '/v2/crawl/{id}', operationId: 'compatCrawlStatus' },
  { ...reads, ...ofCrawls, method: 'DELETE', path: '/v2/crawl/{id}', operationId: 'compatCancelCrawl' },
  {
    ...reads,
    ...ofCrawls,
    ...{ method: 'GET', path: '/v2/crawl/{id}/errors', operationId: 'compatCrawlErrors', takesPlace: true },
  },

  { ...asked, ...ofCrawls, method: 'POST', path: '/v2/extract', operationId: 'compatExtract' },
  {
    ...reads,
    ...ofCrawls,
    ...{ method: 'GET', path: '/v2/extract/{id}', operationId: 'compatExtractStatus', holds: true },
  },

  { ...asked, ...ofBatches, method: 'POST', path: '/v2/batch/scrape', operationId: 'compatBatch' },
  { ...pages, ...ofBatches, method: 'GET', path: '/v2/batch/scrape/{id}', operationId: 'compatBatchStatus' },
  {
    ...reads,
    ...ofBatches,
    method: 'DELETE',
    path: '/v2/batch/scrape/{id}',
    operationId: 'compatCancelBatch',
  },
  {
    ...reads,
    // It reads crawls too.
    ...{ function: 'crawls', tag: 'Scrape' },
    ...{ method: 'GET', path: '/v2/scrape/{id}', operationId: 'compatDocument', takesPlace: true },
  },
  {
    ...reads,
    ...ofBatches,
    ...{ method: 'GET', path: '/v2/batch/scrape/{id}/errors', operationId: 'compatBatchErrors' },
    takesPlace: true,
  },

  { ...ofAccount, path: '/v2/team/credit-usage', operationId: 'compatCreditUsage' },
  { ...ofAccount, path: '/v2/team/token-usage', operationId: 'compatTokenUsage' },
  { ...ofAccount, path: '/v2/team/queue-status', operationId: 'compatQueueStatus' },
  { ...ofAccount, path: '/v2/concurrency-check', operationId: 'compatConcurrency' },
] as const satisfies readonly Route[];
