import { join } from 'node:path';
import { ListQueuesCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { LOCAL_CREDENTIALS } from '../../local/create-resources.ts';
import { readFunctionLogs, type FunctionLine } from '../support/stack/read-function-logs.ts';
import { REGION } from '../../local/template/physical.ts';
import { metrics, NAMESPACE, type MetricName } from '../../shared/observe/metrics.ts';
import { CREDENTIALS, PASSWORD, vendor } from '../support/servers/vendor.ts';
import { ownStack } from '../support/stack/shared-stack.ts';
import { stored } from '../support/stack/stored.ts';

const SECRETS = {
  header: 'header-secret',
  cookie: 'cookie-secret',
  query: 'query-secret',
  message: 'message-secret',
};
const PAGE = 'This text was fetched by JavaScript';
const sent = { headers: { Authorization: SECRETS.header }, cookies: { sid: SECRETS.cookie } };

const upstream = await vendor();
afterAll(() => upstream[Symbol.asyncDispose]());
const template = CREDENTIALS.replace('-country-de', '[-country-{country}]');
const stack = await ownStack({ premiumProxyUrl: `http://${template}@${upstream.host}` });
const { client } = stack;
const premium = { premium_proxy: true, country_code: 'DE' };
let text: string;
let lines: FunctionLine[];
/** Credits that callers were charged, by their responses. */
let charged = 0;
const requestIds: Record<string, string | null> = {};

beforeAll(async () => {
  await useAll();
  const isAllLogged = async () => {
    ({ text, lines } = await readFunctionLogs(join(stack.localDir, 'logs')));
    expect(lines.filter(({ message }) => message === 'render')).toHaveLength(RENDERS);
    expect(text).toContain('dead letters');
    expect(lines.filter(({ message }) => message === 'job').map((line) => line.status ?? line.code)).toEqual(
      expect.arrayContaining(['completed', 'failed', 'internal']),
    );
  };
  await vi.waitFor(isAllLogged, { timeout: 20_000, interval: 200 });
});

const aws = (endpoint: string) => ({ endpoint, region: REGION, credentials: LOCAL_CREDENTIALS });

const RENDERS = 4;
const OF_UPSTREAM = /user-country|p(@|%40)ss/;

/** Requests and messages with secrets: successful, failing, refused and invalid ones. */
async function useAll(): Promise<void> {
  const at = (path: string) => `${stack.demoSite}${path}?token=${SECRETS.query}`;
  const tls = at('/').replace('http:', 'https:');
  for (const [name, request] of Object.entries({
    plain: { url: at('/'), ...sent },
    rendered: { url: at('/js'), render_js: true, ...sent },
    premium: { url: at('/'), ...premium, ...sent },
    premiumRendered: { url: at('/js'), ...premium, render_js: true, ...sent },
    failing: { url: tls, ...sent },
    late: { url: `${at('/slow')}&ms=30000`, render_js: true, timeout: 1_500, ...sent },
    refused: { url: at('/'), ...sent, [SECRETS.query]: SECRETS.query },
    garbage: `{"cookies": "${SECRETS.cookie}`,
  })) {
    const answer = await client.post('/api/v1/scraper', request);
    requestIds[name] = answer.headers.get('x-request-id');
    charged += Number(answer.headers.get('x-credits-used'));
  }
  await fetch(`${stack.baseUrl}/api/v1/scraper?key=${stack.apiKey}`, {
    headers: { Authorization: `Basic ${SECRETS.header}` },
  });
  for (const [name, request] of Object.entries({
    job: { url: at('/js'), render_js: true, ...premium, ...sent },
    failingJob: { url: tls, ...sent },
  })) {
    const answer = await client.post('/api/v1/scraper/jobs', request, { 'Idempotency-Key': name });
    requestIds[name] = answer.headers.get('x-request-id');
    const { job_id: id } = (await answer.json()) as { job_id: string };
    const { job } = await client.settled(id);
    charged += job.credits_used;
    await client.result(id);
  }
  await misdeliver();
}

async function misdeliver(): Promise<void> {
  const sqs = new SQSClient(aws(stack.endpoints.sqs));
  const { QueueUrls = [] } = await sqs.send(new ListQueuesCommand({}));
  const MessageBody = JSON.stringify({ cookies: SECRETS.message });
  for (const QueueUrl of QueueUrls) await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }));
  sqs.destroy();
  // Of jobs and of notices, each with its dead letters.
  expect(QueueUrls).toHaveLength(4);
}

const linesOf = (name: string) => lines.filter((line) => line.request_id === requestIds[name]);

test('no log line contains a key, a header, a cookie, a query, a password or a page', () => {
  const all = [text, ...stack.lines].join('\n');
  for (const secret of [...Object.values(SECRETS), stack.apiKey, stack.apiKey.slice(20), PAGE])
    expect(all).not.toContain(secret);
  expect(all).not.toMatch(OF_UPSTREAM);
});

test('no stored item contains a key, password, header or cookie, and only results contain pages', async () => {
  const { items, pages } = await stored(stack);
  for (const secret of [SECRETS.header, SECRETS.cookie, stack.apiKey, PASSWORD])
    expect(items + pages).not.toContain(secret);
  expect(items).not.toContain(PAGE);
  expect(pages).toContain(PAGE);
  expect(pages).not.toContain(SECRETS.query);
});

test.each([
  ['plain', 'scraper', ['admission', 'fetch', 'send', 'settle']],
  [
    'rendered',
    'scraper',
    ['admission', 'invoke', 'launch', 'navigation', 'wait', 'serialise', 'send', 'settle'],
  ],
])('a request that is %s logs its timings', (name, writer, phases) => {
  const [line] = linesOf(name).filter((it) => it.function === writer);
  expect(line).toMatchObject({ status: 200, target_status: 200, org_id: expect.any(String) as string });
  const times = line?.phases as Record<string, number>;
  expect(Object.keys(times).sort()).toEqual(phases.sort());
  const sum = Object.values(times).reduce((total, ms) => total + ms, 0);
  expect(Math.abs(Number(line?.ms) - sum)).toBeLessThan(phases.length + 250);
});

test('a request that times out in the browser has its error code in both lines', () => {
  expect(linesOf('late').map((line) => [line.function, line.code])).toEqual(
    expect.arrayContaining([
      ['scraper', 'timeout'],
      ['browser', 'timeout'],
    ]),
  );
});

test('every log line of a job, from the API to the browser, has the id of its submit', () => {
  const found = linesOf('job');
  expect(found.map((line) => line.function).sort()).toEqual(['browser', 'jobs', 'worker']);
  const [worker] = found.filter((line) => line.function === 'worker');
  expect(worker).toMatchObject({ status: 'completed', attempt: 1, credits: 25, url: `${stack.demoSite}/js` });
  expect(worker?.phases).toMatchObject({
    queue: expect.any(Number) as number,
    launch: expect.any(Number) as number,
    store: expect.any(Number) as number,
  });
  expect(linesOf('failingJob')).toContainEqual(
    expect.objectContaining({ function: 'worker', status: 'failed', code: 'tls_failed', credits: 0 }),
  );
});

type Emf = {
  CloudWatchMetrics: { Namespace: string; Dimensions: string[][]; Metrics: { Name: MetricName }[] }[];
};
const written = () =>
  lines.flatMap((line) => {
    const { CloudWatchMetrics = [] } = (line._aws ?? {}) as Partial<Emf>;
    return CloudWatchMetrics.flatMap(({ Namespace, Dimensions, Metrics }) =>
      Metrics.map(({ Name }) => ({ line, name: Name, namespace: Namespace, dimensions: Dimensions })),
    );
  });

test('metrics match the documented table of functions and dimensions', () => {
  for (const { line, name, namespace, dimensions } of written()) {
    const metric = metrics[name];
    const further = 'dimension' in metric ? [metric.dimension] : [];
    expect(namespace).toBe(NAMESPACE);
    expect(metric.by).toContain(line.function);
    expect(line.service).toBe(stack.functions[line.function]);
    expect(dimensions.map((set) => set.toSorted())).toEqual([['service', ...further].sort()]);
  }
  // A sweep may have run and counted the age of Chromium.
  const names = new Set(
    written()
      .map(({ name }) => name)
      .filter((name) => name !== 'ChromiumAge'),
  );
  expect([...names].sort()).toEqual(['CreditsCharged', 'ScrapeFailed', 'ScrapeSucceeded', 'TmpFree']);
});

test('metrics add up to the charges of callers', () => {
  const credits = written().filter(({ name }) => name === 'CreditsCharged');
  expect(credits.reduce((sum, { line }) => sum + Number(line.CreditsCharged), 0)).toBe(charged);
});

describe('the upstream of premium_proxy', () => {
  const demoHost = new URL(stack.demoSite).host;
  beforeEach(() => {
    upstream.asked.length = 0;
  });

  test.each([
    ['plain', false, '10', 'Loading'],
    ['rendered', true, '25', 'This text was fetched by JavaScript.'],
  ])('a %s scrape uses the upstream only on request', async (_, render_js, credits, content) => {
    const url = `${stack.demoSite}/js`;
    const answer = await client.scrape({ url, render_js, session_id: 's', ...premium });
    expect([answer.status, answer.headers.get('x-credits-used')]).toEqual([200, credits]);
    expect(await answer.text()).toContain(content);
    expect(new Set(upstream.asked)).toEqual(new Set([demoHost]));
    upstream.asked.length = 0;
    expect((await client.scrape({ url, render_js })).status).toBe(200);
    expect(upstream.asked).toEqual([]);
  });

  test('a job uses the upstream, and stores none of its credentials', async () => {
    const id = await client.submit({ url: `${stack.demoSite}/`, render_js: true, ...premium });
    expect((await client.settled(id)).job).toMatchObject({ status: 'completed', credits_used: 25 });
    expect(upstream.asked).toContain(demoHost);
    expect(JSON.stringify(await client.job(id))).not.toMatch(OF_UPSTREAM);
  });

  test.each([false, true])(
    'wrong credentials for the upstream are free of charge (render_js: %s)',
    async (render_js) => {
      const answer = await client.scrape({ url: stack.demoSite, premium_proxy: true, render_js });
      expect([answer.status, answer.headers.get('x-credits-used')]).toEqual([502, '0']);
      expect(await answer.json()).toMatchObject({ code: 'proxy_failed' });
    },
  );

  test.each([false, true])('a private target is refused (render_js: %s)', async (render_js) => {
    const url = `${stack.demoSite}/redirect-to?url=http://127.0.0.1:8080/`;
    const answer = await client.scrape({ url, render_js, ...premium });
    expect([answer.status, answer.headers.get('x-credits-used')]).toEqual([400, '0']);
    expect(new Set(upstream.asked)).toEqual(new Set([demoHost]));
  });

  test('is not named in any log line', async () => {
    const { text: all } = await readFunctionLogs(join(stack.localDir, 'logs'));
    expect(all.length).toBeGreaterThan(text.length);
    expect([all, ...stack.lines].join('\n')).not.toMatch(OF_UPSTREAM);
  });
});
