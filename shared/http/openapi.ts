import { z } from 'zod';
import { ErrorBody } from '../contract/error-body.ts';
import { JobView, SubmittedJob } from '../contract/job.ts';
import { ScrapeRequest, scrapeFields } from '../contract/scrape-request.ts';
import { catalogue, type ErrorCode } from '../errors.ts';
import { type AnyRoute, type OperationId, type Route, routes } from './routes.ts';

type Schema = Record<string, unknown>;
type Answers = Record<string, Schema>;

/** The service as an OpenAPI 3.1 document, derived from the route list, the schemas and the error catalogue. */
export function openapi(): Schema {
  const paths: Record<string, Schema> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sitefetch',
      version: '1.0.0',
      description: 'Send a URL, get the page: at once, or as a job.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'Where this document was served from.' }],
    security: [{ apiKey: [] }],
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key, `sf_...`.' },
      },
      schemas: {
        ScrapeRequest: schema(ScrapeRequest),
        SubmittedJob: schema(SubmittedJob),
        Job: schema(JobView),
        Error: schema(ErrorBody),
      },
    },
  };
}

function operation(route: AnyRoute): Schema {
  const { summary, operationId } = route;
  const isOpen = !('bucket' in route);
  return {
    operationId,
    summary,
    ...(isOpen ? { security: [] } : {}),
    parameters: parameters(route),
    ...(route.method === 'POST' ? { requestBody: { required: true, content: jsonOf('ScrapeRequest') } } : {}),
    responses: { ...answers[operationId], ...errorAnswers(isOpen ? ['internal'] : errorsOf[operationId]) },
  };
}

function parameters({ path, operationId }: Route & { operationId: OperationId }): Schema[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string', format: 'uuid' },
  }));
  const inQuery = Object.entries(scrapeFields).map(([name, field]) => {
    const { description, ...rest } = schema(field);
    return { name, in: 'query', required: !field.safeParse(undefined).success, description, schema: rest };
  });
  const idempotencyKey = {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description: 'The same key with the same body gives the same job, for 24 hours.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  };
  const extra = { scrapeSimple: inQuery, submitJob: [idempotencyKey] } as Partial<
    Record<OperationId, Schema[]>
  >;
  return [...inPath, ...(extra[operationId] ?? [])];
}

const scrapeErrors: ErrorCode[] = (Object.keys(catalogue) as ErrorCode[]).filter((code) => {
  const { status } = catalogue[code];
  return (
    status >= 500 || ['insufficient_credits', 'too_many_concurrent', 'response_too_large'].includes(code)
  );
});
const bodyErrors: ErrorCode[] = ['unsupported_media_type', 'request_too_large'];
const requestErrors: ErrorCode[] = ['invalid_request', 'url_not_allowed'];
const callerErrors: ErrorCode[] = ['unauthorized', 'organization_suspended', 'rate_limited', 'internal'];

const errorsOf: Readonly<Record<OperationId, ErrorCode[]>> = {
  scrape: [...requestErrors, ...callerErrors, ...bodyErrors, ...scrapeErrors],
  scrapeSimple: [...requestErrors, ...callerErrors, ...scrapeErrors],
  submitJob: [
    ...requestErrors,
    ...callerErrors,
    ...bodyErrors,
    'insufficient_credits',
    'idempotency_in_flight',
    'idempotency_key_reused',
    'premium_proxy_unavailable',
  ],
  getJob: [...callerErrors, 'not_found'],
  getResult: [...callerErrors, 'not_found', 'job_not_finished', 'deadline_exceeded', 'attempts_exhausted'],
  health: [],
  openapi: [],
};

const page = answer('The page itself, under the Content-Type of the target.', { '*/*': { schema: {} } });

const answers: Readonly<Record<OperationId, Answers>> = {
  scrape: { 200: page },
  scrapeSimple: { 200: page },
  submitJob: { 202: answer('The job is accepted.', jsonOf('SubmittedJob')) },
  getJob: { 200: answer('The job as it stands.', jsonOf('Job')) },
  getResult: { 200: page, 304: answer('The page you have is still the same.') },
  health: { 200: answer('The service answers.', { 'application/json': { schema: { type: 'object' } } }) },
  openapi: {
    200: answer('An OpenAPI 3.1 document.', { 'application/json': { schema: { type: 'object' } } }),
  },
};

/** One answer a status, naming every code that comes under it. */
function errorAnswers(codes: readonly ErrorCode[]): Answers {
  const byStatus = Map.groupBy(new Set(codes), (code) => String(catalogue[code].status));
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      status,
      answer(group.map((code) => `\`${code}\`: ${catalogue[code].message}`).join('\n\n'), jsonOf('Error')),
    ]),
  );
}

function answer(description: string, content?: Schema): Schema {
  return content === undefined ? { description } : { description, content };
}

function jsonOf(name: string): Schema {
  return { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } };
}

/** Without `$schema`: the document as a whole is of one dialect. */
function schema(type: z.ZodType): Schema {
  return { ...z.toJSONSchema(type, { io: 'input' }), $schema: undefined };
}
