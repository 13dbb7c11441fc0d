import { accountRoutes } from './account.ts';
import { batchRoutes } from './batches.ts';
import { crawlRoutes } from './crawls.ts';
import { jobRoutes } from './jobs.ts';
import { mapRoutes } from './map.ts';
import { scrapeRoutes } from './scrape.ts';
import { webhookRoutes } from './webhooks.ts';
import { serviceRoutes } from './service.ts';

/** The API. Router, meter, API Gateway's resources and the OpenAPI document derive from this list. */
export const routes = [
  ...scrapeRoutes,
  ...mapRoutes,
  ...jobRoutes,
  ...batchRoutes,
  ...crawlRoutes,
  ...webhookRoutes,
  ...accountRoutes,
  ...serviceRoutes,
] as const;

export type AnyRoute = (typeof routes)[number];
