import { accountRoutes } from './account.ts';
import { batchRoutes } from './batches.ts';
import { compatRoutes } from './compat.ts';
import { crawlRoutes } from './crawls.ts';
import { jobRoutes } from './jobs.ts';
import { mapRoutes } from './map.ts';
import type { Route } from './route.ts';
import { scrapeRoutes } from './scrape.ts';
import { webhookRoutes } from './webhooks.ts';
import { serviceRoutes } from './service.ts';

/** The API as documented: the OpenAPI document and the reference derive from this list. */
export const documentedRoutes = [
  ...scrapeRoutes,
  ...mapRoutes,
  ...jobRoutes,
  ...batchRoutes,
  ...crawlRoutes,
  ...webhookRoutes,
  ...accountRoutes,
  ...serviceRoutes,
] as const;

/** Tools for agents by the Model Context Protocol, which describes them itself: see docs/agents.md. */
const mcpRoutes = [
  {
    method: 'POST',
    path: '/mcp',
    operationId: 'callMcp',
    function: 'mcp',
    tag: 'Service',
    ...{ summary: '', description: '', parameters: [], responses: {}, errors: [] },
    auth: 'key',
    bucket: 'read',
    holds: true,
  },
] as const satisfies readonly Route[];

/** All of it: router, meter and API Gateway's resources derive from this list. */
export const routes = [...documentedRoutes, ...compatRoutes, ...mcpRoutes] as const;

export type AnyRoute = (typeof routes)[number];
