import manifest from '../../package.json' with { type: 'json' };
import { AccountView, UsageView } from '../contract/account-view.ts';
import { ActivityPage } from '../contract/activity.ts';
import { BatchRequest, UploadRequest } from '../contract/batch-request.ts';
import { BatchList, BatchResult, BatchView, UploadParts, UploadResult } from '../contract/batch.ts';
import { ErrorBody } from '../contract/error-body.ts';
import { JobList, JobView, SubmittedJob } from '../contract/job.ts';
import { type Json, schemaOf } from '../contract/json-schema.ts';
import { JobRequest, ScrapeRequest } from '../contract/scrape-request.ts';
import {
  DeliveryList,
  DeliveryView,
  NewWebhook,
  WebhookChange,
  WebhookList,
  WebhookView,
  WebhookWithSecret,
} from '../contract/webhook.ts';
import { errorExamples, errorResponses } from './openapi/errors.ts';
import { headerComponents } from './openapi/headers.ts';
import { hoisted } from './openapi/schemas.ts';
import type { Route, Tag } from './route.ts';
import { routes } from './routes.ts';

const DESCRIPTION = `Send a URL, get the page: at once, or as a job.

Every error is flat JSON with a \`code\` for programs and a \`message\` that says what to do. Unknown paths return 404
and unsupported methods 405, in the same shape. Responses must not be cached: each has \`Cache-Control: no-store\`.

A page costs 1 credit, 5 with \`render_js\`, 10 with \`premium_proxy\` and 25 with both. It is charged only if the target
returns 2xx, 3xx, 404 or 410. Errors cost nothing.`;

const tags: Readonly<Record<Tag, string>> = {
  Scrape: 'Get a page in the response.',
  Jobs: 'Get pages in the background: submit, poll, fetch.',
  Batches: 'Get up to 1,000 pages with one request.',
  Webhooks: 'Be told when jobs finish and credits run low.',
  Account: "An organization's limits, usage and activity. Costs nothing.",
  Service: 'Health and documentation. Needs no API key.',
};

/** The server URL of the document in `docs`: relative to the document's own URL. */
const HERE = '.';

/** The OpenAPI 3.1 document, derived from routes, schemas and error table. `server` is its base URL. */
export function openapi(server = HERE): Json {
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route) };
  }
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
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key, `sf_...`.' },
      },
      headers: headerComponents,
      examples: errorExamples(routes.flatMap((route) => [...route.errors])),
      schemas: hoisted({
        ScrapeRequest: schemaOf(ScrapeRequest),
        JobRequest: schemaOf(JobRequest),
        SubmittedJob: schemaOf(SubmittedJob),
        Job: schemaOf(JobView),
        JobList: schemaOf(JobList),
        BatchRequest: schemaOf(BatchRequest),
        UploadRequest: schemaOf(UploadRequest),
        Batch: schemaOf(BatchView),
        BatchList: schemaOf(BatchList),
        BatchResult: schemaOf(BatchResult),
        UploadResult: schemaOf(UploadResult),
        UploadParts: schemaOf(UploadParts),
        NewWebhook: schemaOf(NewWebhook),
        WebhookChange: schemaOf(WebhookChange),
        Webhook: schemaOf(WebhookView),
        WebhookWithSecret: schemaOf(WebhookWithSecret),
        WebhookList: schemaOf(WebhookList),
        Delivery: schemaOf(DeliveryView),
        DeliveryList: schemaOf(DeliveryList),
        Account: schemaOf(AccountView),
        Usage: schemaOf(UsageView),
        Activity: schemaOf(ActivityPage),
        Error: schemaOf(ErrorBody),
      }),
    },
  };
}

function operation(route: Route): Json {
  const { tag, summary, description, operationId, auth, body, parameters, responses } = route;
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    ...(auth === 'none' ? { security: [] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: { required: true, content: body } } : {}),
    responses: { ...responses, ...errorResponses(route) },
  };
}
