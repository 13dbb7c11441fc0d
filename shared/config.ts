import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { parseSignUpPolicy, type SignUpPolicy } from './domain/people/sign-up-policy.ts';

const target = z.string().regex(/^[^\s,]+:\d{1,5}$/, 'expected host:port');
const withoutLastDots = (hosts: string[]) => hosts.map((host) => host.replace(/\.$/, ''));
const listed = (text: string) => text.split(',').filter(Boolean);

const policy = z.custom<SignUpPolicy>(
  (read) => read !== undefined,
  'expected open, invite, closed or domains:example.com',
);

/** Every environment variable of the service. Each function picks its own. */
const environment = z.object({
  ACCOUNTS_TABLE: z.string().min(1),
  ACTIVITY_TABLE: z.string().min(1),
  JOBS_TABLE: z.string().min(1),
  RESULTS_BUCKET: z.string().min(1),
  JOBS_QUEUE_URL: z.url(),
  WEBHOOKS_TABLE: z.string().min(1),
  NOTICES_QUEUE_URL: z.url(),
  /** The secret that the key of signing secrets is derived from. */
  WEBHOOK_KEY_ARN: z.string().min(1),
  /** Of events, at once, by all notifiers. */
  ATTEMPTS_PER_ORGANIZATION: z.string().transform(Number).pipe(z.int().min(1)),
  /** For which pages are kept for repeats; 0: none is. */
  CACHE_DAYS: z.string().transform(Number).pipe(z.int().min(0).max(30)),
  BROWSER_FUNCTION: z.string().min(1),
  /** With `PER_TENANT` every call must name its tenant; without it no call may. */
  BROWSER_TENANCY: z.literal('PER_TENANT').optional(),
  /** The service's own host names, which are never targets. */
  API_HOST: z.string().min(1).toLowerCase().transform(listed).transform(withoutLastDots),
  PREMIUM_PROXY_SECRET_ARN: z.string().min(1).optional(),
  /** Reads values from pages. Absent: the stage has no model. */
  MODEL_FUNCTION: z.string().min(1).optional(),
  /** The operator's OpenAI-compatible endpoint, to which `/chat/completions` is added. */
  MODEL_URL: z.url({ protocol: /^https?$/ }).optional(),
  MODEL_NAME: z.string().min(1).default('default'),
  /** How the endpoint takes a schema beside the prompt. */
  MODEL_STRUCTURED: z.enum(['json_schema', 'json_object', 'none']).default('json_schema'),
  MODEL_SECRET_ARN: z.string().min(1).optional(),
  /** In place of the secret. Only the local stack sets it. */
  MODEL_KEY: z.string().min(1).optional(),
  /** Of Amazon Bedrock, or the ARN of an inference profile, in place of an endpoint. */
  BEDROCK_MODEL_ID: z.string().min(1).optional(),
  /** Set by Lambda: the deployed name. */
  AWS_LAMBDA_FUNCTION_NAME: z.string().min(1).default('local'),
  /** `host:port`, set by Lambda. */
  AWS_LAMBDA_RUNTIME_API: z.string().optional(),
  CHROMIUM_DIR: z.string().min(1).default('/opt/chromium'),
  /** The preferred process model of Chromium. The other is tried if it does not work. */
  BROWSER_PROCESSES: z.enum(['one', 'many']),
  CHROMIUM_RELEASED: z.iso.date().transform((day) => new Date(day)),
  /** `host:port,…`: private targets that are allowed. Only the local stack sets it. */
  EGRESS_ALLOW: z.string().default('').transform(listed).pipe(z.array(target)),
  IDENTITY_TABLE: z.string().min(1),
  USER_POOL_ID: z.string().min(1),
  USER_POOL_CLIENT_ID: z.string().min(1),
  /** The URL of the API, without a trailing slash. */
  API_URL: z.url(),
  /** The URL of the dashboard, whose playground calls the API. Absent: no page may. */
  DASHBOARD_URL: z.url().optional(),
  /** `open`, `invite`, `closed`, or `domains:example.com,…`. */
  SIGN_UP: z.string().transform(parseSignUpPolicy).pipe(policy),
  /** The name that robots.txt knows the service by. */
  ROBOTS_TOKEN: z
    .string()
    .regex(/^[A-Za-z_-]+$/, 'expected letters, _ and -')
    .default('Sitefetch'),
  /** Requests of crawls to one target host at once, by all organizations. */
  HOST_CONCURRENCY: z.string().transform(Number).pipe(z.int().min(1)),
  /** Whether callers may ignore robots.txt. Absent: no. */
  ROBOTS_IGNORE: z.literal('allowed').optional(),
  /** The page that examples fetch in place of example.com. Only the local stack sets it. */
  DEMO_PAGE: z.url().optional(),
});

type Shape = typeof environment.shape;

/** The values of all of them. */
export type Settings = z.output<typeof environment>;

function pick<K extends keyof Shape>(...names: K[]): z.ZodObject<Pick<Shape, K>>;
function pick(...names: (keyof Shape)[]) {
  return z.object(Object.fromEntries(names.map((name) => [name, environment.shape[name]])));
}

const accounts = ['API_URL', 'AWS_LAMBDA_FUNCTION_NAME', 'ACCOUNTS_TABLE', 'ACTIVITY_TABLE'] as const;
/** Of functions that emit events. */
const events = ['WEBHOOKS_TABLE', 'NOTICES_QUEUE_URL'] as const;
const jobs = ['JOBS_TABLE', 'RESULTS_BUCKET', 'JOBS_QUEUE_URL'] as const;
const queues = ['JOBS_QUEUE_URL', 'NOTICES_QUEUE_URL'] as const;
const targets = ['API_HOST', 'PREMIUM_PROXY_SECRET_ARN', 'EGRESS_ALLOW', 'MODEL_FUNCTION'] as const;
const rendering = ['BROWSER_FUNCTION', 'BROWSER_TENANCY', 'CACHE_DAYS', 'RESULTS_BUCKET'] as const;
const users = ['IDENTITY_TABLE', 'USER_POOL_ID', 'USER_POOL_CLIENT_ID', 'SIGN_UP'] as const;
const sites = ['DASHBOARD_URL', 'DEMO_PAGE'] as const;
const robots = ['ROBOTS_TOKEN', 'ROBOTS_IGNORE'] as const;
const endpoint = ['MODEL_URL', 'MODEL_NAME', 'MODEL_STRUCTURED', 'MODEL_SECRET_ARN', 'MODEL_KEY'] as const;
const chromium = ['CHROMIUM_DIR', 'BROWSER_PROCESSES'] as const;

/** Infra gives each function exactly these. */
export const environments = {
  scraper: pick(...accounts, ...rendering, ...targets, ...queues, ...robots, 'DASHBOARD_URL'),
  jobs: pick(...accounts, ...jobs, ...events, ...targets),
  batches: pick(...accounts, ...jobs, ...events, ...targets),
  crawls: pick(...accounts, ...jobs, ...events, ...targets, 'ROBOTS_IGNORE'),
  worker: pick(...accounts, ...jobs, ...events, ...rendering, ...targets, 'ROBOTS_TOKEN', 'HOST_CONCURRENCY'),
  browser: pick(
    'AWS_LAMBDA_FUNCTION_NAME',
    'AWS_LAMBDA_RUNTIME_API',
    'API_HOST',
    'EGRESS_ALLOW',
    ...chromium,
  ),
  model: pick('AWS_LAMBDA_FUNCTION_NAME', ...endpoint, 'BEDROCK_MODEL_ID'),
  sweeper: pick(...accounts, ...events, 'JOBS_TABLE', 'JOBS_QUEUE_URL', 'CHROMIUM_RELEASED'),
  account: pick(...accounts),
  webhooks: pick(...accounts, ...events, 'WEBHOOK_KEY_ARN', 'API_HOST', 'EGRESS_ALLOW'),
  notifier: pick(
    'AWS_LAMBDA_FUNCTION_NAME',
    'ACCOUNTS_TABLE',
    ...events,
    'WEBHOOK_KEY_ARN',
    'JOBS_TABLE',
    'RESULTS_BUCKET',
    'ATTEMPTS_PER_ORGANIZATION',
    'API_HOST',
    'EGRESS_ALLOW',
  ),
  mcp: pick(...accounts),
  meta: pick('API_URL', 'DEMO_PAGE'),
  dashboard: pick(
    ...accounts,
    'WEBHOOKS_TABLE',
    ...users,
    ...sites,
    ...queues,
    'JOBS_TABLE',
    'RESULTS_BUCKET',
    'WEBHOOK_KEY_ARN',
    'EGRESS_ALLOW',
  ),
} as const;

export type FunctionName = keyof typeof environments;
/** All but the dashboard, which has a stack and an API of its own. */
export type ApiFunctionName = Exclude<FunctionName, 'dashboard'>;
export type Environment<F extends FunctionName> = z.output<(typeof environments)[F]>;

/** What infra must set: required variables without a default. */
export type RequiredEnvironment<F extends FunctionName> = {
  [
    K in keyof z.input<(typeof environments)[F]> as undefined extends z.input<(typeof environments)[F]>[K]
      ? never
      : K
  ]: string;
};

/**
 * Called once at cold start. An optional variable may be empty, as `sam local invoke` sets only variables
 * that its template declares.
 */
export function readEnv<F extends FunctionName>(name: F, variables: Variables = process.env): Environment<F> {
  const given = Object.entries(variables).filter(([key, value]) => value !== '' || isRequired(key));
  return parsed(name, environments[name], Object.fromEntries(given)) as Environment<F>;
}

const isRequired = (key: string) =>
  key in environment.shape && !environment.shape[key as keyof Shape].safeParse(undefined).success;

export type Variables = Record<string, string | undefined>;

/** Throws one error that lists every invalid variable. */
export function parsed<S extends z.ZodType>(
  name: string,
  schema: S,
  variables: Variables = process.env,
): z.output<S> {
  const { success, data, error } = schema.safeParse(variables);
  if (success) return data;
  const culprits = error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new Error(`The environment of "${name}" is not usable: ${culprits.join('; ')}`);
}

/** The folder of certificate authorities beside each fetching function's code. */
export const AUTHORITIES = 'authorities';

/** The thread that converts pages, beside a function's bundle. */
export const CONVERTER = 'convert.mjs';

/** The client reads a folder of authorities on demand; a single file would be parsed for every scrape. */
export function trustAuthorities(folder: URL): void {
  process.env['SSL_CERT_DIR'] ??= fileURLToPath(folder);
  process.env['SSL_CERT_FILE'] ??= '/dev/null';
}
