import { ofBody, ofRequest, ofWaiting } from './error-groups.ts';
import { requests } from './openapi/examples.ts';
import { target } from './openapi/headers.ts';
import { anyBytes, jsonOf, metered } from './openapi/media.ts';
import { queryParameters } from './openapi/query-parameters.ts';
import type { Route } from './route.ts';

const page = metered('The page itself, under the Content-Type of the target.', target, anyBytes);

export const scrapeRoutes = [
  {
    method: 'POST',
    path: '/api/v1/scraper',
    operationId: 'scrape',
    function: 'scraper',
    auth: 'key',
    bucket: 'scrape',
    holds: true,
    tag: 'Scrape',
    summary: 'Scrape a page',
    description:
      'The answer is the page itself. That the target answered 404 or 500 is no error here: `X-Target-Status` says so. Read at less than 64 KiB/s, the first 10 seconds not counted, it is ended, and costs nothing.',
    body: jsonOf('ScrapeRequest', requests),
    parameters: [],
    responses: { 200: page },
    errors: [...ofRequest, ...ofBody, ...ofWaiting],
  },
  {
    method: 'GET',
    path: '/api/v1/scraper',
    operationId: 'scrapeSimple',
    function: 'scraper',
    auth: 'key',
    bucket: 'scrape',
    holds: true,
    tag: 'Scrape',
    summary: 'Scrape a page, with the fields in the query string',
    description:
      'The same as by POST, but for `headers`. Booleans are `true`, `false`, `1` or `0`. No parameter may be given twice.',
    parameters: queryParameters(),
    responses: { 200: page },
    errors: [...ofRequest, ...ofWaiting],
  },
] as const satisfies readonly Route[];
