import type { ErrorCode } from '../errors.ts';
import { CrawlResultsQuery, CrawlsQuery, CrawlUrlsQuery } from '../contract/crawls/crawl-view.ts';
import { ofBody, ofCaller, ofRequest, ofStage } from './error-groups.ts';
import {
  crawl,
  crawlLines,
  crawlList,
  crawlParts,
  crawlRequests,
  crawlRetryRequests,
  crawlUrls,
  submittedCrawl,
} from './openapi/crawl-examples.ts';
import { jsonOf, linesOf, metered } from './openapi/media.ts';
import { crawlId, idempotencyKey, inQuery } from './openapi/parameters.ts';
import type { Route } from './route.ts';

const ofSubmit: ErrorCode[] = [
  ...ofRequest,
  ...ofBody,
  'idempotency_in_flight',
  'idempotency_key_reused',
  ...ofStage,
  'busy',
];

const accepted = metered(
  'The crawl was accepted.',
  ['Location', 'Retry-After', 'Idempotent-Replayed'],
  jsonOf('SubmittedCrawl', submittedCrawl),
);

const reads = { function: 'crawls', auth: 'key', bucket: 'read', tag: 'Crawls' } as const;
const submits = { ...reads, bucket: 'scrape' } as const;

export const crawlRoutes = [
  {
    ...submits,
    method: 'POST',
    path: '/api/v1/crawls',
    operationId: 'submitCrawl',
    summary: 'Crawl a site',
    description:
      'Requests the pages to begin at and what they, their links and sitemaps lead to, breadth first, as far as the fields allow. Pages cost what they cost as scrapes; robots.txt, sitemaps, duplicates and what is not requested cost nothing. Every URL that is discovered has exactly one outcome.',
    body: jsonOf('CrawlRequest', crawlRequests),
    parameters: [idempotencyKey('crawl')],
    responses: { 202: accepted },
    errors: [...ofSubmit, 'robots_required'],
  },
  {
    ...reads,
    method: 'GET',
    path: '/api/v1/crawls',
    operationId: 'listCrawls',
    takesPlace: true,
    summary: 'List crawls',
    description:
      'The crawls of the organization, newest first, each on exactly one page. A page may have fewer crawls than `limit`, and still have a `next_cursor`; it ends before 256 KB.',
    parameters: inQuery(CrawlsQuery),
    responses: { 200: metered('A page of the list.', ['Link'], jsonOf('CrawlList', crawlList)) },
    errors: [...ofCaller, 'too_many_concurrent', 'busy'],
  },
  {
    ...reads,
    method: 'GET',
    path: '/api/v1/crawls/{crawl_id}',
    operationId: 'getCrawl',
    summary: "Get a crawl's status",
    description:
      'What became of its URLs so far, its cost, and what its hosts say to crawlers. `counts.discovered` is the sum of the other counts at every moment.',
    parameters: [crawlId],
    responses: {
      200: metered(
        'The current state of the crawl. `Retry-After` is set while it is running.',
        ['Retry-After'],
        jsonOf('Crawl', crawl),
      ),
    },
    errors: [...ofCaller, 'not_found', 'too_many_concurrent', 'busy'],
  },
  {
    ...reads,
    method: 'GET',
    path: '/api/v1/crawls/{crawl_id}/urls',
    operationId: 'getCrawlUrls',
    takesPlace: true,
    summary: "Get a crawl's URLs and their outcomes",
    description:
      'One line of JSON for each URL that has an outcome, in the order in which they got it. `Link` leads to the next lines until all have been read; while the crawl runs, it may have no lines yet. A response ends before 256 KB. With `outcome`, a page may have no lines although later ones do.',
    parameters: [crawlId, ...inQuery(CrawlUrlsQuery)],
    responses: {
      200: metered('URLs that the cursor does not cover.', ['Link'], linesOf('CrawlUrl', crawlUrls)),
    },
    errors: [...ofCaller, 'not_found', 'too_many_concurrent', 'busy'],
  },
  {
    ...reads,
    method: 'GET',
    path: '/api/v1/crawls/{crawl_id}/results',
    operationId: 'getCrawlResults',
    takesPlace: true,
    summary: "Get a crawl's pages",
    description:
      "One line of JSON for each page, and for each URL whose request failed, as of a batch. To continue after a line, send its `cursor`; no result is repeated or skipped. `Link` leads to the next lines until all results have been read; while the crawl runs, it may have no lines yet. A response ends before 256 KB or, with `include=body`, after about 16 MB of pages. With `Accept: application/json` the response lists links to the portions in which results are stored, whose `dropped` lines have another URL's page.",
    parameters: [crawlId, ...inQuery(CrawlResultsQuery)],
    responses: {
      200: metered('Results that the cursor does not cover.', ['Link'], {
        ...linesOf('CrawlResult', crawlLines),
        ...jsonOf('CrawlParts', crawlParts),
      }),
    },
    errors: [...ofCaller, 'not_found', 'too_many_concurrent', 'busy'],
  },
  {
    ...reads,
    method: 'POST',
    path: '/api/v1/crawls/{crawl_id}/cancel',
    operationId: 'cancelCrawl',
    summary: 'Cancel a crawl',
    description:
      'No further request begins. URLs that wait end as `cancelled` within a minute, and cost nothing. Requests in progress may still complete.',
    parameters: [crawlId],
    responses: { 200: metered('The cancelled crawl.', ['Retry-After'], jsonOf('Crawl', crawl)) },
    errors: [...ofCaller, 'not_found', 'crawl_finished', 'too_many_concurrent', 'busy'],
  },
  {
    ...submits,
    method: 'POST',
    path: '/api/v1/crawls/{crawl_id}/retry_failed',
    operationId: 'retryCrawl',
    takesPlace: true,
    summary: 'Retry the failed URLs of a crawl',
    description:
      'Submits a new crawl with the fields of an ended one. It begins at the URLs of that crawl that failed or were not requested in the end, or that `include` selects, and requests no other URL which that crawl has discovered.',
    body: jsonOf('CrawlRetryRequest', crawlRetryRequests),
    isBodyOptional: true,
    parameters: [crawlId, idempotencyKey('crawl')],
    responses: { 202: accepted },
    errors: [...ofSubmit, 'not_found', 'crawl_not_finished', 'nothing_to_retry', 'too_many_concurrent'],
  },
] as const satisfies readonly Route[];
