import { ONLY_IN_JSON } from '../contract/scrape/scrape-request.ts';
import { CacheQuery } from '../contract/scrape/shaping-fields.ts';
import { ofBody, ofCaller, ofRequest, ofWaiting } from './error-groups.ts';
import { requests } from './openapi/examples.ts';
import { ofSlice, target } from './openapi/header-groups.ts';
import { anyPage, jsonOf, metered } from './openapi/media.ts';
import { inQuery } from './openapi/parameters.ts';
import { queryParameters } from './openapi/query-parameters.ts';
import type { Route } from './route.ts';

const page = metered(
  "The page, with the target's `Content-Type`, or another `format` of it, under its own type.",
  [...target, ...ofSlice],
  anyPage,
);

const onlyInJson = ONLY_IN_JSON.map((name) => `\`${name}\``).join(', ');

const common = { function: 'scraper', auth: 'key', bucket: 'scrape', tag: 'Scrape' } as const;

export const scrapeRoutes = [
  {
    ...common,
    method: 'POST',
    path: '/api/v1/scraper',
    operationId: 'scrape',
    holds: true,
    summary: 'Scrape a page',
    description:
      'The response is the page itself, or its content as `format`. A target status such as 404 or 500 is not an error: see `X-Target-Status`. After the first 10 seconds, a response read at less than 64 KiB/s is cut off, and is free.',
    body: jsonOf('ScrapeRequest', requests),
    parameters: [],
    responses: { 200: page },
    errors: [...ofRequest, ...ofBody, 'model_not_configured', ...ofWaiting],
  },
  {
    ...common,
    method: 'GET',
    path: '/api/v1/scraper',
    operationId: 'scrapeSimple',
    holds: true,
    summary: 'Scrape a page, with the fields in the query string',
    description: `The same as POST, except that these are not supported: ${onlyInJson}. Booleans are \`true\`, \`false\`, \`1\` or \`0\`. Each parameter may appear only once.`,
    parameters: queryParameters(),
    responses: { 200: page },
    errors: [...ofRequest, ...ofWaiting],
  },
  {
    ...common,
    bucket: 'read',
    method: 'DELETE',
    path: '/api/v1/cache',
    operationId: 'forgetPages',
    takesPlace: true,
    summary: 'Forget the kept pages of a URL',
    description:
      'Deletes every page that your organization keeps of the URL for `max_age`, whatever its fields and its fragment. Results of jobs stay, but are no longer returned for other requests.',
    parameters: inQuery(CacheQuery),
    responses: { 204: metered('None of its pages is kept.', []) },
    errors: [...ofCaller, 'url_not_allowed', 'too_many_concurrent', 'busy'],
  },
] as const satisfies readonly Route[];
