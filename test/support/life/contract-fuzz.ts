import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { openapi } from '../../../shared/api/openapi.ts';
import { deviations, type Operation, operationsOf } from '../stack/described-api.ts';
import { sharedStack } from '../stack/shared-stack.ts';
import { type Ask, asksOf, oddAsksOf } from './schema-arbitrary.ts';

const operations = operationsOf(openapi());
const settings = { seed: 20_261_121, endOnFailure: true };
/** Only the target may fail, and only with these statuses. */
const FAULTS_OUT_THERE = [502, 504];
const [MAX_TIMEOUT_MS, MAX_WAIT_MS, MAX_COST] = [1_200, 50, 25];

const stack = await sharedStack();
const targets = ['/', '/js', '/status/404', '/redirect', '/file.pdf'].map((path) => stack.demoSite + path);
let jobIds: string[];
let batchId: string;

/** Tests each operation against its description, with this many random requests. */
export function contractFuzz(runs: { accepted: number; refused: number }): void {
  beforeAll(async () => {
    const { submit, settled } = stack.client;
    const [completed, failed] = await Promise.all([
      submit({ url: stack.demoSite }),
      submit({ url: `${stack.demoSite}/redirect-to?url=http://127.0.0.1:1/` }),
    ]);
    await Promise.all([settled(completed), settled(failed)]);
    const requests = [completed, failed].map(() => ({ url: stack.demoSite }));
    const batch = await stack.client.post('/api/v1/scraper/batches', { requests });
    batchId = ((await batch.json()) as { batch_id: string }).batch_id;
    jobIds = [completed, failed, await submit({ url: `${stack.demoSite}/slow?ms=60000` })];
  });

  describe.each(operations.map((operation) => [operation.operationId, operation] as const))(
    '%s',
    (_, operation) => {
      test('accepts every request that its description allows', async () => {
        await fc.assert(
          fc.asyncProperty(realAsks(operation), async (ask) => {
            const answer = await send(operation, ask, stack.apiKey);
            expect(await deviations(operation, answer)).toEqual([]);
            if (operation.path.includes('{')) expect(answer.status).not.toBeGreaterThanOrEqual(500);
            else if (!FAULTS_OUT_THERE.includes(answer.status)) expect(answer.status).toBeLessThan(300);
          }),
          { ...settings, numRuns: runs.accepted },
        );
      });

      test('refuses every other request as documented', async () => {
        const keys = fc.oneof(
          { weight: 9, arbitrary: fc.constant(stack.apiKey) },
          fc.stringMatching(/^[!-~]{1,80}$/),
        );
        await fc.assert(
          fc.asyncProperty(oddAsksOf(operation, realAsks(operation)), keys, async (ask, key) => {
            const answer = await send(operation, ask, key);
            expect(await deviations(operation, answer)).toEqual([]);
            expect(answer.status).toBeLessThan(500);
          }),
          { ...settings, numRuns: runs.refused },
        );
      });
    },
  );
}

/** Requests for existing jobs and pages, with compatible fields and short timeouts. */
function realAsks(operation: Operation): fc.Arbitrary<Ask> {
  const known = fc.record({ url: fc.constantFrom(...targets), job_id: fc.constantFrom(...jobIds) });
  return fc.tuple(asksOf(operation), known).map(([{ parameters, body }, { url, job_id }]) => ({
    parameters: {
      ...parameters,
      path: existing(parameters.path, { job_id, batch_id: batchId }),
      query: realQuery(operation, parameters.query, url),
      header: ofOperation(operation, parameters.header),
    },
    ...(operation.body ? { body: sensibleBody(operation, body ?? {}, url) } : {}),
  }));
}

/** Of a scrape, or of the cache, which takes the URL alone. */
function realQuery(operation: Operation, query: Record<string, unknown>, url: string) {
  if (!('url' in query)) return {};
  const isScrape = operation.parameters.some(({ name }) => name === 'timeout');
  return isScrape ? sensible(operation, query, url) : { url };
}

/** Each operation has keys of its own, because a key belongs to one body. */
function ofOperation({ operationId }: Operation, header: Record<string, unknown>): Record<string, unknown> {
  const key = header['Idempotency-Key'];
  return typeof key === 'string' ? { ...header, 'Idempotency-Key': `${operationId} ${key}` } : header;
}

/** The ids of what exists, in place of random ones. */
function existing(path: Record<string, unknown>, ids: Record<string, string>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(path).map(([name, value]) => [name, ids[name] ?? value]));
}

type Described = {
  anyOf?: Described[];
  properties: { requests?: { items: Operation['body'] }; timeout?: object };
};

/** Of a batch each request, without defaults for all. */
function sensibleBody(operation: Operation, wanted: object, url: string): Record<string, unknown> {
  const body = operation.body as unknown as Described;
  if (operation.operationId === 'submitCrawl') return sensibleCrawl(wanted, url);
  // The requests of a batch may be uploaded instead.
  if ('input' in wanted) return { input: 'upload' };
  const { requests, timeout } = (body.anyOf?.find(({ properties: { requests: all } }) => all) ?? body)
    .properties;
  if (requests === undefined) return timeout ? sensible(operation, wanted, url) : { ...wanted };
  const {
    defaults: _,
    requests: some = [{}],
    ...rest
  } = wanted as { defaults?: object; requests?: object[] };
  const item = { ...operation, parameters: [], body: requests.items };
  const cap = 'max_credits' in rest ? { max_credits: some.length * MAX_COST } : {};
  return { ...rest, ...cap, requests: some.map((each) => sensible(item, each, url)) };
}

/** What is refused depends on the other fields, and on what the organization has crawled. */
function sensibleCrawl(wanted: object, url: string): Record<string, unknown> {
  const crawl: Record<string, unknown> = { ...wanted, url, limit: 2, sitemaps: 'skip', request: {} };
  for (const name of ['urls', 'changed_since', 'allow_hosts', 'scope', 'robots'])
    Reflect.deleteProperty(crawl, name);
  return crawl;
}

const UNCACHED = ['method', 'body', 'js_scenario', 'session_id', 'cookies', 'headers'];

function sensible({ parameters, body }: Operation, wanted: object, url: string): Record<string, unknown> {
  const request: Record<string, unknown> = { timeout: MAX_TIMEOUT_MS, ...wanted, url };
  request.timeout = Math.min(Number(request.timeout), MAX_TIMEOUT_MS);
  if (Number(request.max_age) > 0) for (const name of UNCACHED) Reflect.deleteProperty(request, name);
  // It decides what these would.
  for (const name of ['render_js', 'premium_proxy', 'method', 'body', 'max_credits'])
    if ('mode' in request) Reflect.deleteProperty(request, name);
  if ('max_credits' in request) request.max_credits = Math.max(Number(request.max_credits), MAX_COST);
  if ('wait' in request) request.wait = Math.min(Number(request.wait), MAX_WAIT_MS);
  const inQuery = Object.fromEntries(parameters.map((parameter) => [parameter.name, parameter]));
  const fields: Record<string, { description?: string }> = { ...inQuery, ...(body?.properties as object) };
  for (const [name, { description = '' }] of Object.entries(fields)) {
    const [, needed] = /Only with `(\w+)`/.exec(description) ?? [];
    if (needed !== undefined && request[needed] !== true) Reflect.deleteProperty(request, name);
  }
  forOutputs(request, url);
  // The demo site has nothing to click.
  if ('js_scenario' in request) request.js_scenario = { instructions: [{ wait: 1 }], strict: false };
  if ('capture' in request && request.format !== 'json') Reflect.deleteProperty(request, 'capture');
  if (request.render_js === true) Reflect.deleteProperty(request, 'method');
  if (request.method === undefined || request.method === 'GET') Reflect.deleteProperty(request, 'body');
  return request;
}

const TEXTS = ['markdown', 'text', 'clean_html', 'links', 'metadata'];

/** Only HTML has parts, and some fields are for some of them. */
function forOutputs(request: Record<string, unknown>, url: string): void {
  const { format = 'html' } = request;
  if (url.endsWith('.pdf') || format === 'extract') request.format = 'html';
  if (request.format !== 'json') Reflect.deleteProperty(request, 'formats');
  if (request.format !== 'markdown' && request.format !== 'text')
    for (const name of ['scope', 'max_chars', 'offset']) Reflect.deleteProperty(request, name);
  if (request.format === 'json') request.formats = ['html', 'links'];
  // Pictures have tests of their own, and take longer than these requests may.
  if (request.format === 'screenshot' || request.format === 'pdf') request.format = 'html';
  for (const name of ['screenshot', 'pdf']) Reflect.deleteProperty(request, name);
  const ofExtract = ['extract_rules', 'extract_schema', 'extract_prompt'];
  for (const name of [...ofExtract, 'include_selectors', 'exclude_selectors'])
    Reflect.deleteProperty(request, name);
  // The first page of a range may be after its last.
  if ('document' in request) request.document = { pages: '1-20' };
  if (!TEXTS.includes(String(request.format))) Reflect.deleteProperty(request, 'document');
  const isCompared = request.format === 'change';
  for (const name of isCompared ? [...UNCACHED, 'max_age', 'revalidate'] : ['change'])
    Reflect.deleteProperty(request, name);
}

function send({ method, path }: Operation, { parameters, body }: Ask, key: string): Promise<Response> {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(parameters.path[name])),
  );
  const query = new URLSearchParams(textsOf(parameters.query));
  return fetch(`${stack.baseUrl}${filled}?${query.toString()}`, {
    method,
    headers: {
      Authorization: `Bearer ${key}`,
      ...textsOf(parameters.header),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/** As sent: header values are trimmed, and empty ones are omitted. */
function textsOf(values: Record<string, unknown>): Record<string, string> {
  // An object may have a toString of its own.
  const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  const texts = Object.entries(values).map(([name, value]) => [name, textOf(value).trim()] as const);
  return Object.fromEntries(texts.filter(([, text]) => text !== ''));
}
