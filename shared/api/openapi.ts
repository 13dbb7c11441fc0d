import manifest from '../../package.json' with { type: 'json' };
import type { Json } from '../contract/json-schema.ts';
import { componentSchemas } from './openapi/component-schemas.ts';
import { errorExamples } from './openapi/errors.ts';
import { headerComponents } from './openapi/headers.ts';
import { pathsOf } from './openapi/paths-of.ts';
import { hoisted } from './openapi/schemas.ts';
import type { Tag } from './route.ts';
import { documentedRoutes } from './routes.ts';

const DESCRIPTION = `Send a URL, get the page: at once, or as a job.

Every error is flat JSON with a \`code\` for programs and a \`message\` that says what to do. Unknown paths return 404
and unsupported methods 405, in the same shape. A path that differs from a route only in its slashes is redirected to it
(301 for GET and HEAD, 308 for other methods), and \`/\` to \`/docs\` (302). Responses must not be cached: each but the documentation has \`Cache-Control: no-store\`.

A page costs 1 credit, 5 with \`render_js\`, 10 with \`premium_proxy\` and 25 with both. It is charged only if the target
returns 2xx, 3xx, 404 or 410, and is not a bot wall. Errors cost nothing.

\`POST /mcp\` has the same as tools for agents, by the Model Context Protocol, which describes them itself.`;

const tags: Readonly<Record<Tag, string>> = {
  Scrape: 'Get a page in the response.',
  Map: 'List the URLs of a site.',
  Jobs: 'Get pages in the background: submit, poll, fetch.',
  Batches: 'Get up to 1,000 pages with one request.',
  Crawls: 'Get all pages of a site: start, watch, read.',
  Webhooks: 'Receive events when jobs finish and credits run low.',
  Account: "An organization's limits, usage and activity. Costs nothing.",
  Service: 'Health and documentation. Needs no API key.',
};

/** The server URL of the document in `docs`: relative to the document's own URL. */
const HERE = '.';

/** The OpenAPI 3.1 document, derived from routes, schemas and error table. `server` is its base URL. */
export function openapi(server = HERE): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sitefetch',
      version: manifest.version,
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: server, description: 'The service that served this document.' }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    security: [{ apiKey: [] }],
    paths: pathsOf(documentedRoutes),
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key, `sf_...`.' },
      },
      headers: headerComponents,
      examples: errorExamples(documentedRoutes.flatMap((route) => [...route.errors])),
      schemas: hoisted(componentSchemas()),
    },
  };
}
