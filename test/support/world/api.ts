import type { APIGatewayProxyEvent, Context, SQSEvent } from 'aws-lambda';
import { accountOperations } from '../../../functions/account/operations.ts';
import { batchOperations } from '../../../functions/batches/operations.ts';
import { crawlOperations } from '../../../functions/crawls/operations.ts';
import { jobOperations } from '../../../functions/jobs/operations.ts';
import { mcpOperations } from '../../../functions/mcp/operations.ts';
import { metaOperations } from '../../../functions/meta/operations.ts';
import { type Crawler, scraperOperations } from '../../../functions/scraper/operations.ts';
import { failDeadLetters } from '../../../functions/sweeper/fail-dead-letters.ts';
import { organizationsWithBacklogs } from '../../../functions/sweeper/backlogs.ts';
import { dueBatches } from '../../../functions/sweeper/batches.ts';
import { dueChunks } from '../../../functions/sweeper/chunks.ts';
import { dueCrawls } from '../../../functions/sweeper/crawls.ts';
import { dueDeliveries } from '../../../functions/sweeper/deliveries.ts';
import { dueJobs } from '../../../functions/sweeper/jobs.ts';
import { organizationsWithSlots } from '../../../functions/sweeper/slots.ts';
import { type Due, sweepDue } from '../../../functions/sweeper/sweep-due.ts';
import { consume as notify } from '../../../functions/notifier/consume.ts';
import { webhookOperations } from '../../../functions/webhooks/operations.ts';
import { consume } from '../../../functions/worker/consume.ts';
import type { JobMessage, NotifierMessage } from '../../../shared/contract/scrape/messages.ts';
import type { QueueMessage } from '../../../shared/ports/jobs.ts';
import type { NewOrganization } from '../../../shared/use-cases/accounts/manage-organizations.ts';
import { httpFunction } from '../../../shared/http/http-function.ts';
import type { TargetPolicy } from '../../../shared/request/parse-scrape-request.ts';
import { routes } from '../../../shared/api/routes.ts';
import { API_URL, inMemoryWorld, type World } from './in-memory-world.ts';
import { keptLog } from './kept-log.ts';
import { newOrganization } from './organization.ts';

export const CRAWLER: Crawler = { robotsToken: 'Sitefetch', mayIgnoreRobots: false };

/** API Gateway's id of every request in the tests. */
export const GATEWAY_REQUEST_ID = 'gateway-request';

/** The dashboard's origin, whose pages may call the scraper. */
export const DASHBOARD_ORIGIN = 'https://account.example.com';

export type Answer = {
  status: number;
  headers: Record<string, string>;
  bytes: Buffer;
  text: string;
  json: Record<string, unknown>;
};

type Ask = {
  method?: string;
  key?: string | undefined;
  headers?: Record<string, string>;
  body?: unknown;
  /** What precedes the route's path in the URL, such as API Gateway's stage. */
  mount?: string;
};

type ProxyResult = {
  statusCode: number;
  headers: Record<string, string>;
  body: string;
  isBase64Encoded?: boolean;
};

/** The service over a world: its HTTP routes as API Gateway calls them, its worker and its sweeper. */
export function serviceOver(
  world: World,
  policy: TargetPolicy = { allow: [] },
  crawler: Crawler & { hostConcurrency?: number } = CRAWLER,
) {
  const { log, lines } = keptLog();
  const handlers = {
    scraper: httpFunction(
      { ...world, webOrigin: DASHBOARD_ORIGIN },
      log,
      scraperOperations(world, policy, crawler),
      'buffered',
    ),
    jobs: httpFunction(world, log, jobOperations(world, policy), 'buffered'),
    batches: httpFunction(world, log, batchOperations(world, policy), 'buffered'),
    crawls: httpFunction(
      world,
      log,
      crawlOperations(world, { ...policy, mayIgnoreRobots: crawler.mayIgnoreRobots }),
      'buffered',
    ),
    account: httpFunction(world, log, accountOperations(world), 'buffered'),
    webhooks: httpFunction(world, log, webhookOperations(world, policy), 'buffered'),
    mcp: httpFunction(
      world,
      log,
      mcpOperations(world, (url, init) => fetched(url, init)),
      'buffered',
    ),
    meta: httpFunction(world, log, metaOperations(world), 'buffered'),
  };

  async function ask(
    pathAndQuery: string,
    { method = 'GET', key, headers = {}, body, mount = '' }: Ask = {},
  ): Promise<Answer> {
    const isWhole = pathAndQuery.startsWith(`${API_URL}/`);
    const url = new URL(isWhole ? pathAndQuery : `http://api.test${pathAndQuery}`);
    const route = routes.find(({ path }) => matches(path, url.pathname));
    const resource = route?.path ?? (url.pathname === '/' ? '/' : '/{proxy+}');
    const event = proxyEvent(resource, url, {
      method,
      mount,
      headers: { ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }), ...headers },
      body: isWritten(body) ? body : JSON.stringify(body),
    });
    const result = (await handlers[route?.function ?? 'meta'](event, context())) as ProxyResult;
    const bytes = Buffer.from(result.body, result.isBase64Encoded ? 'base64' : 'utf8');
    const text = bytes.toString();
    return { status: result.statusCode, headers: result.headers, bytes, text, json: parsed(text) };
  }

  /** What a client of the service gets for a request. */
  async function fetched(url: string, { method, headers, body }: RequestInit): Promise<Response> {
    const given = headers as Record<string, string>;
    const answer = await ask(url, { ...(method && { method }), headers: given, body });
    return new Response(answer.bytes, answer);
  }

  const swept = <T, Step extends string>(due: Due<T, Step>) =>
    sweepDue(due, log, new AbortController().signal);

  return {
    lines,
    ask,
    post: (path: string, key: string | undefined, body: unknown, headers = {}) =>
      ask(path, { method: 'POST', key, body, headers: { 'Content-Type': 'application/json', ...headers } }),

    /**
     * Delivers these jobs or messages, or all sent ones, to the worker. Returns messages that stay queued.
     */
    work: async (chosen?: readonly (string | JobMessage)[], { signal } = new AbortController()) => {
      const messages =
        chosen?.map((each) => (typeof each === 'string' ? { jobId: each } : each)) ?? world.queue.take();
      const lastStart = new Date(world.now().getTime() + 60_000);
      const postponed: Record<string, number> = {};
      const postpone = (record: QueueMessage, seconds: number) => {
        postponed[record.messageId] = seconds;
        return Promise.resolve();
      };
      const { batchItemFailures } = await consume(
        { ...world, inbox: world.queue.inbox },
        sqsEvent(messages),
        {
          log,
          postpone,
          signal,
          lastStart,
          policy,
          robotsToken: crawler.robotsToken,
          hostConcurrency: crawler.hostConcurrency ?? 8,
        },
      );
      return { postponed, kept: batchItemFailures.map(({ itemIdentifier }) => itemIdentifier) };
    },
    /** What happened to jobs with slots, and to due jobs. */
    sweep: async () => {
      const { settled = 0, failed = 0, resent = 0 } = await swept(organizationsWithSlots({ ...world, log }));
      const due = await swept(dueJobs({ ...world, log }));
      return {
        owned: due.owned ?? 0,
        settled: (due.settled ?? 0) + settled,
        failed: (due.failed ?? 0) + failed,
        resent: (due.resent ?? 0) + resent,
      };
    },
    /** Delivers all messages that have arrived to the notifier. Returns how many stay in its queue. */
    notify: async () => {
      const messages = world.notifierQueue.take();
      const { batchItemFailures } = await notify(
        { ...world, inbox: world.notifierQueue.inbox },
        noticeEvent(messages),
        {
          log,
          lastStart: new Date(world.now().getTime() + 60_000),
        },
      );
      return { handled: messages.length, kept: batchItemFailures.length };
    },
    sweepDeliveries: () => swept(dueDeliveries(world)),
    sweepBacklogs: async () => ({
      overdue: 0,
      woken: 0,
      ...(await swept(organizationsWithBacklogs({ ...world, log }))),
    }),
    sweepChunks: () => swept(dueChunks({ ...world, log })),
    sweepBatches: () => swept(dueBatches({ ...world, log })),
    sweepCrawls: () => swept(dueCrawls({ ...world, log })),
    bury: (jobIds: string[]) =>
      failDeadLetters({ ...world, log }, sqsEvent(jobIds.map((jobId) => ({ jobId })))),
    organization: async (wanted: Partial<NewOrganization> = {}) => {
      const created = await newOrganization(world, wanted);
      return { orgId: created.org_id, key: created.api_key };
    },
  };
}

export type Service = ReturnType<typeof serviceOver>;

/** Moves on what waits for the sweeper: jobs, batches and crawls. */
export async function sweepWork(service: Service): Promise<void> {
  const { sweep, sweepChunks, sweepBatches, sweepBacklogs, sweepCrawls } = service;
  for (const each of [sweep, sweepChunks, sweepBatches, sweepBacklogs, sweepCrawls]) await each();
}

/** A service with its own world and one organization. */
export async function newService(policy?: TargetPolicy, wanted: Partial<NewOrganization> = {}) {
  const world = inMemoryWorld();
  const service = serviceOver(world, policy);
  return { world, service, ...(await service.organization(wanted)) };
}

function matches(route: string, path: string): boolean {
  return new RegExp(`^${route.replace(/\{\w+\}/g, '[^/]+')}$`).test(path);
}

type Written = string | Buffer | undefined;
type Sent = { method: string; mount: string; headers: Record<string, string>; body: Written };

const isWritten = (body: unknown): body is Written =>
  typeof body === 'string' || body === undefined || Buffer.isBuffer(body);

function proxyEvent(
  resource: string,
  url: URL,
  { method, mount, headers, body }: Sent,
): APIGatewayProxyEvent {
  const names = [...resource.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
  const values =
    new RegExp(`^${resource.replace(/\{\w+\}/g, '([^/]+)')}$`).exec(url.pathname)?.slice(1) ?? [];
  const query = Object.fromEntries(
    [...new Set(url.searchParams.keys())].map((name) => [name, url.searchParams.getAll(name)]),
  );
  return {
    resource,
    path: url.pathname,
    requestContext: { path: mount + url.pathname, requestId: GATEWAY_REQUEST_ID },
    httpMethod: method,
    headers,
    multiValueQueryStringParameters: query,
    pathParameters: Object.fromEntries(names.map((name, i) => [name, decodeURIComponent(values[i] ?? '')])),
    // As API Gateway passes a form on.
    body: (Buffer.isBuffer(body) ? body.toString('base64') : body) ?? null,
    isBase64Encoded: Buffer.isBuffer(body),
  } as unknown as APIGatewayProxyEvent;
}

/** Messages are named after their jobs, so that a test can tell them apart. */
function sqsEvent(messages: readonly JobMessage[]): SQSEvent {
  const records = messages.map((message) => ({
    messageId: Object.values(message)[0] ?? '',
    body: JSON.stringify(message),
  }));
  return { Records: records } as unknown as SQSEvent;
}

function noticeEvent(messages: readonly NotifierMessage[]): SQSEvent {
  const records = messages.map((message, at) => ({ messageId: String(at), body: JSON.stringify(message) }));
  return { Records: records } as unknown as SQSEvent;
}

function context(): Context {
  return { getRemainingTimeInMillis: () => 300_000 } as Context;
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** Submits of the dashboard, to the service over the same world. */
export function submitOver(world: World) {
  const service = serviceOver(world);
  return async (path: string, { key, once, body }: { key: string; once: string; body: object }) => {
    const { status, json } = await service.post(path, key, body, { 'Idempotency-Key': once });
    return { status, json };
  };
}
