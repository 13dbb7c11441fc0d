import { ofBody, ofRequest } from './error-groups.ts';
import { mapRequests, siteMap, siteMapLines } from './openapi/map-examples.ts';
import { jsonOf, metered } from './openapi/media.ts';
import type { Route } from './route.ts';

export const mapRoutes = [
  {
    method: 'POST',
    path: '/api/v1/map',
    operationId: 'mapSite',
    function: 'scraper',
    auth: 'key',
    bucket: 'scrape',
    tag: 'Map',
    holds: true,
    summary: 'List the URLs of a site',
    description:
      "Reads the site's robots.txt, its sitemaps, the page `url` with its feeds, and nothing of third parties. It costs 1 credit if any URL is found, and takes a slot like a scrape. `complete` says whether all was read. With `Accept: application/x-ndjson` each URL is a line, sent once it is found (with `search`, once all are), and the last line has the rest of the response.",
    body: jsonOf('MapRequest', mapRequests),
    parameters: [],
    responses: {
      200: metered('The URLs, each once.', [], {
        ...jsonOf('SiteMap', siteMap),
        'application/x-ndjson': {
          schema: {
            type: 'string',
            description: 'Lines of JSON, each a `MappedUrl`; the last is a `MapSummary`.',
            contentMediaType: 'application/x-ndjson',
            contentSchema: {
              anyOf: [
                { $ref: '#/components/schemas/MappedUrl' },
                { $ref: '#/components/schemas/MapSummary' },
              ],
            },
          },
          examples: siteMapLines,
        },
      }),
    },
    errors: [...ofRequest, ...ofBody, 'robots_required', 'too_many_concurrent', 'timeout', 'busy'],
  },
] as const satisfies readonly Route[];
