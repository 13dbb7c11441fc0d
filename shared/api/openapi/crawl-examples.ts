import type { z } from 'zod';
import type { LedgerLine } from '../../contract/crawls/crawl.ts';
import type { CrawlBody, CrawlRetryRequest } from '../../contract/crawls/crawl-request.ts';
import type {
  CrawlCounts,
  CrawlList,
  CrawlParts,
  CrawlResult,
  CrawlState,
  CrawlView,
  SubmittedCrawl,
} from '../../contract/crawls/crawl-view.ts';
import { EXAMPLE_API_URL, exampleCrawlId } from './examples.ts';

type Example<T> = { summary: string; value: T };

export const crawlRequests = {
  site: {
    summary: 'Up to 500 pages of a site, as Markdown',
    value: { url: 'https://example.com/', limit: 500, request: { format: 'markdown' } },
  },
  part: {
    summary: 'A part of two hosts, slowly, with a bound on its cost',
    value: {
      urls: ['https://example.com/blog/', 'https://docs.example.com/'],
      include: ['/blog/**', '/guides/*'],
      exclude: ['/**/print'],
      max_depth: 3,
      delay: 1_000,
      max_credits: 2_000,
      request: { mode: 'auto' },
      tags: ['nightly'],
    },
  },
} satisfies Record<string, Example<z.input<typeof CrawlBody>>>;

export const crawlRetryRequests = {
  walls: { summary: 'What failed, and bot walls', value: { include: ['failed', 'wall'] } },
} satisfies Record<string, Example<z.input<typeof CrawlRetryRequest>>>;

const none = {
  ...{ page: 0, failed: 0, unchanged: 0, duplicate: 0, robots: 0, content_use: 0, excluded: 0 },
  ...{ out_of_scope: 0, depth: 0, limit: 0, budget: 0, deadline: 0, cancelled: 0, too_long: 0, trap: 0 },
};
const some: CrawlCounts = {
  ...{ discovered: 120, pending: 40, running: 10 },
  ...{ ...none, page: 50, duplicate: 2, out_of_scope: 18 },
};
const statusUrl = `${EXAMPLE_API_URL}/api/v1/crawls/${exampleCrawlId}`;

const running: CrawlView = {
  crawl_id: exampleCrawlId,
  status: 'running',
  counts: some,
  credits_used: 50,
  url: 'https://example.com/',
  tags: ['nightly'],
  created_at: '2026-11-21T06:59:58.000Z',
  deadline_at: '2026-11-22T06:59:58.000Z',
  expires_at: '2026-12-21T06:59:58.000Z',
  status_url: statusUrl,
  results_url: `${statusUrl}/results`,
  urls_url: `${statusUrl}/urls`,
};

export const submittedCrawl = {
  accepted: {
    summary: 'Poll `status_url`',
    value: { ...running, counts: { ...none, discovered: 0, pending: 0, running: 0 }, credits_used: 0 },
  },
} satisfies Record<string, Example<SubmittedCrawl>>;

export const crawl = {
  running: {
    summary: 'Fifty pages are there',
    value: {
      ...running,
      hosts: [
        {
          host: 'example.com',
          robots: 'found',
          robots_status: 200,
          crawl_delay: 1,
          sitemaps: [{ url: 'https://example.com/sitemap.xml', status: 200, urls: 100 }],
        },
      ],
    },
  },
} satisfies Record<string, Example<CrawlState>>;

export const crawlList = {
  page: { summary: 'The newest crawls', value: { data: [running], next_cursor: 'MDE5ZTJmM2I' } },
} satisfies Record<string, Example<CrawlList>>;

const urls: LedgerLine[] = [
  {
    ...{ url: 'https://example.com/', outcome: 'page', depth: 0, via: 'seed' },
    ...{ target_status: 200, verdict: 'page' },
  },
  {
    ...{ url: 'https://example.com/old', outcome: 'duplicate', depth: 1, via: 'link' },
    ...{ found_on: 'https://example.com/', same_as: 'https://example.com/new', target_status: 200 },
  },
];

export const crawlUrls = {
  lines: {
    summary: 'A page and a duplicate',
    value: urls.map((line) => `${JSON.stringify(line)}\n`).join(''),
  },
};

const line: CrawlResult = {
  line: 1,
  url: 'https://example.com/',
  status: 'completed',
  started_at: '2026-11-21T06:59:58.300Z',
  completed_at: '2026-11-21T07:00:00.000Z',
  attempts: 1,
  credits_used: 1,
  credits_reason: 'page',
  target_status: 200,
  target_url: 'https://example.com/',
  content_type: 'text/markdown; charset=utf-8',
  bytes: 9,
  verdict: 'page',
  crawl: { depth: 0 },
  body_encoding: 'utf-8',
  body: '# Example',
  crawl_id: exampleCrawlId,
  cursor: '0.-.0.1',
};

export const crawlLines = {
  lines: { summary: 'A page, with `include=body`', value: `${JSON.stringify(line)}\n` },
};

export const crawlParts = {
  parts: {
    summary: 'Stored results of a crawl',
    value: {
      data: [
        {
          url: 'https://bucket.s3.amazonaws.com/0-1-pages.ndjson.gz?X-Amz-Signature=…',
          lines: 25,
          bytes: 912_345,
          dropped: [7],
        },
      ],
      next_cursor: '0.MwYA',
    },
  },
} satisfies Record<string, Example<CrawlParts>>;
