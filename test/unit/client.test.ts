import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { Sitefetch, type SitefetchError, verifyWebhook } from '../../clients/typescript/src/sitefetch.ts';
import { targetServer } from '../support/servers/target-server.ts';

const REQUEST_ID = '019e2f3a-5b60-7c1d-9f2e-3a4b5c6d7e8f';
const NDJSON = { 'Content-Type': 'application/x-ndjson' };

type Reply = (response: ServerResponse, request: IncomingMessage) => unknown;

const reply =
  (status: number, body: unknown, headers: Record<string, string> = {}): Reply =>
  (response) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    response.writeHead(status, { 'X-Request-Id': REQUEST_ID, ...headers }).end(text);
  };

/** An error of the service, after which to try again at once. */
const problem = (status: number, code: string, more: object = {}): Reply =>
  reply(
    status,
    {
      ...{ error: 'Error', message: 'What went wrong.', code, request_id: REQUEST_ID },
      ...{ doc_url: `https://api.example/docs/errors/${code}`, retryable: true, retry_after: 0, ...more },
    },
    { 'Retry-After': '0' },
  );

const dropped: Reply = (response) => response.destroy();

/** States a length and ends before it, as a gateway does that lost its connection. */
const cut = (body: string, headers: Record<string, string> = {}): Reply =>
  reply(200, body, { 'X-Content-Length': String(body.length + 10), ...headers });

/** A service that sends these replies one after the other, and the requests that it received. */
async function service(...replies: Reply[]) {
  const requests: { line: string; key: string | undefined; body: string }[] = [];
  const server = await targetServer((request, response) => {
    void buffer(request).then((body) => {
      const key = request.headers['idempotency-key'] as string | undefined;
      requests.push({ line: `${request.method} ${request.url}`, key, body: body.toString() });
      void (replies.shift() ?? reply(410, 'No reply is left.'))(response, request);
    });
  });
  const client = new Sitefetch({ apiKey: 'sf_test', baseUrl: `${server.origin}/`, timeoutMs: 10_000 });
  return { ...server, requests, client };
}

const failure = (promise: Promise<unknown>): Promise<SitefetchError> =>
  promise.then(
    () => expect.fail('The call succeeded.'),
    (error: unknown) => error as SitefetchError,
  );

async function collected<T>(lines: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const line of lines) all.push(line);
  return all;
}

const PAGE = { 'Content-Type': 'text/html; charset=iso-8859-1', 'X-Target-Status': '200' };
const url = 'https://example.com/';

test('a page has its bytes, its text by its charset, its verdict and its cost', async () => {
  await using api = await service((response) =>
    response
      .writeHead(200, {
        ...PAGE,
        'X-Request-Id': REQUEST_ID,
        'X-Page-Verdict': 'bot_wall; by=cloudflare',
        'X-Credits-Used': '0',
        'X-Credits-Remaining': '999',
        'X-Credits-Reason': 'wall',
      })
      .end(Buffer.from([0xe9])),
  );
  const page = await api.client.scrape({ url });
  expect([page.bytes(), page.text()]).toEqual([new Uint8Array([0xe9]), 'é']);
  expect(page).toMatchObject({ verdict: 'bot_wall', targetStatus: 200, requestId: REQUEST_ID });
  expect(page.credits).toEqual({ used: 0, remaining: 999, reason: 'wall' });
  expect(() => page.json()).toThrow(expect.objectContaining({ code: 'unexpected_response' }));
});

test('an answer is the JSON of the service, with the id of its request beside it', async () => {
  await using api = await service(reply(200, { name: 'Test' }));
  const account = await api.client.account.get();
  expect([account, account.requestId]).toEqual([{ name: 'Test' }, REQUEST_ID]);
});

test('an error has all that the service says about it', async () => {
  await using api = await service(problem(400, 'invalid_request', { retryable: false, param: 'url' }));
  const error = await failure(api.client.scrape({ url: '' }));
  expect(error).toMatchObject({
    ...{ name: 'SitefetchError', code: 'invalid_request', message: 'What went wrong.', status: 400 },
    ...{ retryable: false, requestId: REQUEST_ID, retryAfterSeconds: 0, details: { param: 'url' } },
    docUrl: 'https://api.example/docs/errors/invalid_request',
  });
  expect(api.requests).toHaveLength(1);
});

test.each([429, 503])('a scrape that was refused with %d is repeated', async (status) => {
  await using api = await service(problem(status, 'busy'), reply(200, 'page', PAGE));
  expect((await api.client.scrape({ url })).text()).toBe('page');
});

test.each<[string, Reply, string]>([
  ['a lost connection', dropped, 'connection_failed'],
  ['a body that was cut off', cut('half'), 'connection_lost'],
  ['a 500', problem(500, 'internal', { retryable: false }), 'internal'],
  ['an error of its page', problem(502, 'dns_failed'), 'dns_failed'],
  ["a 503 that is not the service's", reply(503, '<html>'), 'unexpected_response'],
  [
    'a 503 that will not pass',
    problem(503, 'premium_proxy_unavailable', { retryable: false }),
    'premium_proxy_unavailable',
  ],
])('a scrape, which may have been charged, is not repeated after %s', async (_, fault, code) => {
  await using api = await service(fault);
  expect(await failure(api.client.scrape({ url }))).toMatchObject({ code });
  expect(api.requests).toHaveLength(1);
});

test.each<[string, Reply]>([
  ['a lost connection', dropped],
  ['a body that was cut off', cut('{"job_')],
  ['a 500', problem(500, 'internal', { retryable: false })],
  ["a 502 that is not the service's", reply(502, '<html>', { 'Retry-After': '0' })],
  ['the first attempt, which is still in progress', problem(409, 'idempotency_in_flight')],
])('a submit is repeated with its key after %s', async (_, fault) => {
  await using api = await service(fault, reply(202, { job_id: 'the-job' }));
  expect(await api.client.jobs.submit({ url })).toEqual({ job_id: 'the-job' });
  const [first, second, ...others] = api.requests;
  expect(others).toEqual([]);
  expect(first?.key).toMatch(/^[0-9a-f-]{36}$/);
  expect(second).toEqual(first);
});

test('a call gives up after its retries, with the last error', async () => {
  const fault = problem(503, 'busy');
  await using api = await service(fault, fault, fault, fault);
  expect(await failure(api.client.jobs.get('the-job'))).toMatchObject({ code: 'busy', status: 503 });
  expect(api.requests).toHaveLength(3);
});

test('a call does not wait longer than its own time', async () => {
  await using api = await service(problem(429, 'rate_limited', { retry_after: 11 }));
  const error = await failure(api.client.jobs.get('the-job'));
  expect(error).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 11 });
});

test('a cancel, which may have taken effect, is not repeated after a lost connection', async () => {
  await using api = await service(dropped);
  expect(await failure(api.client.jobs.cancel('the-job'))).toMatchObject({ code: 'connection_failed' });
  expect(api.requests).toHaveLength(1);
});

test('a response that takes too long is an error of the client', async () => {
  await using api = await service(() => undefined);
  const error = await failure(api.client.scrape({ url }, { timeoutMs: 100 }));
  expect(error).toMatchObject({ name: 'SitefetchError', code: 'client_timeout', retryable: true });
});

test('an aborted call rejects with the reason', async () => {
  await using api = await service(() => controller.abort(reason));
  const [controller, reason] = [new AbortController(), new Error('No longer needed.')];
  await expect(api.client.jobs.get('the-job', { signal: controller.signal })).rejects.toBe(reason);
});

test('a job that fails rejects with its own error', async () => {
  await using api = await service(
    reply(202, { job_id: 'the-job' }),
    reply(200, { job_id: 'the-job', status: 'running' }, { 'Retry-After': '0' }),
    reply(200, { job_id: 'the-job', status: 'failed' }),
    problem(422, 'dns_failed'),
  );
  expect(await failure(api.client.jobs.run({ url }))).toMatchObject({ code: 'dns_failed', status: 422 });
  expect(api.requests.map(({ line }) => line)).toEqual([
    'POST /api/v1/scraper/jobs',
    'GET /api/v1/scraper/jobs/the-job',
    'GET /api/v1/scraper/jobs/the-job',
    'GET /api/v1/scraper/jobs/the-job/result',
  ]);
});

test('a job has the cost of its page, although its result is free', async () => {
  await using api = await service(
    reply(202, { job_id: 'the-job' }),
    reply(200, { job_id: 'the-job', status: 'completed', credits_used: 5, credits_reason: 'page' }),
    reply(200, 'page', { ...PAGE, 'X-Credits-Used': '0', 'X-Credits-Reason': 'free' }),
  );
  const page = await api.client.jobs.run({ url });
  expect(page).toMatchObject({ jobId: 'the-job', credits: { used: 5, reason: 'page' } });
});

test('a job that ends while its submit waits takes one call', async () => {
  const ended = reply(200, 'page', { ...PAGE, 'X-Job-Id': 'the-job' });
  await using api = await service((response, request) =>
    request.headers.prefer === 'wait=50' ? ended(response, request) : dropped(response, request),
  );
  const page = await api.client.jobs.run({ url });
  expect([page.jobId, page.text(), api.requests.length]).toEqual(['the-job', 'page', 1]);
});

test('a page is requested uncompressed, and is whole even if a proxy compressed it', async () => {
  const compressed = gzipSync('page');
  const headers = { ...PAGE, 'Content-Encoding': 'gzip', 'Content-Length': compressed.byteLength };
  await using api = await service((response, request) =>
    request.headers['accept-encoding'] === 'identity'
      ? response.writeHead(200, headers).end(compressed)
      : dropped(response, request),
  );
  expect((await api.client.scrape({ url })).text()).toBe('page');
});

test.each(['robots', 'unreachable', 'cancelled'])('a crawl that ended by %s rejects', async (stop_reason) => {
  await using api = await service(reply(200, { crawl_id: 'the-crawl', stop_reason, completed_at: 'now' }));
  const error = await failure(api.client.crawls.wait('the-crawl'));
  expect(error.message).toContain(stop_reason);
});

const lines = (...numbers: number[]) =>
  numbers.map((line) => `${JSON.stringify({ line, cursor: `c${line}` })}\n`).join('');
const linkTo = (cursor: string) => ({ ...NDJSON, Link: `</api?cursor=${cursor}>; rel="next"` });
const whole = (text: string, headers: Record<string, string> = NDJSON) =>
  reply(200, text, { 'X-Content-Length': String(text.length), ...headers });

/** Like a body that is made while it is sent: nothing states its length. */
const streamed =
  (text: string, headers: Record<string, string> = NDJSON): Reply =>
  (response) => {
    response.writeHead(200, headers);
    response.write(text);
    response.end();
  };

test.each<[string, Reply]>([
  [
    'the connection broke',
    (response) => response.writeHead(200, NDJSON).write(lines(1, 2), () => response.destroy()),
  ],
  ['a line was cut off', streamed(`${lines(1, 2)}{"line":3,"cu`)],
  ['it ended between two lines, like a whole one', streamed(lines(1, 2))],
  ['it is shorter than stated', cut(lines(1, 2), linkTo('far'))],
])('results continue behind the last whole line when %s', async (_, fault) => {
  await using api = await service(fault, whole(lines(3)));
  const results = await collected(api.client.batches.results('b', { include: 'body' }));
  expect(results.map(({ line }) => line)).toEqual([1, 2, 3]);
  expect(api.requests.map(({ line }) => line.split('?')[1])).toEqual([
    'include=body',
    'include=body&cursor=c2',
  ]);
});

test('results end when nothing follows twice, if their length is not known', async () => {
  await using api = await service(streamed(lines(1)), streamed(''), streamed(''));
  expect(await collected(api.client.crawls.results('c', { include: 'body' }))).toHaveLength(1);
});

test('results that break off before any line reject in the end', async () => {
  const broken: Reply = (response) => response.writeHead(200, NDJSON).write('{', () => response.destroy());
  await using api = await service(broken, broken, broken, broken);
  const error = await failure(collected(api.client.batches.results('b')));
  expect(error).toMatchObject({ code: 'connection_lost', retryable: true });
});

test('URLs of a crawl are read to their end, each once', async () => {
  await using api = await service(
    cut(lines(1), linkTo('n')),
    whole(lines(1, 2), linkTo('n')),
    whole(lines(3)),
  );
  const urls = await collected(api.client.crawls.urls('c', { outcome: 'failed' }));
  expect(urls.map((url) => (url as unknown as { line: number }).line)).toEqual([1, 2, 3]);
  expect(api.requests.at(-1)?.line).toBe('GET /api/v1/crawls/c/urls?outcome=failed&cursor=n');
});

test('a list is read page by page', async () => {
  await using api = await service(
    reply(200, { data: [{ job_id: 'a' }], next_cursor: 'next' }),
    reply(200, { data: [{ job_id: 'b' }] }),
  );
  const jobs = await collected(api.client.jobs.list({ tag: 'nightly' }));
  expect(jobs.map(({ job_id }) => job_id)).toEqual(['a', 'b']);
  expect(api.requests.at(-1)?.line).toBe('GET /api/v1/scraper/jobs?tag=nightly&cursor=next');
});

test('an upload whose link has expired uses a fresh one, and never sends the key', async () => {
  const keys: (string | undefined)[] = [];
  const store =
    (status: number): Reply =>
    (response, request) => {
      keys.push(request.headers.authorization);
      reply(status, '')(response, request);
    };
  const at =
    (path: string, status = 'waiting_for_upload'): Reply =>
    (response, request) =>
      reply(200, { batch_id: 'b', status, upload_url: `http://${request.headers.host}${path}` })(
        response,
        request,
      );
  await using api = await service(at('/old'), store(403), at('/new'), store(200), at('', 'running'));
  const batch = await api.client.batches.upload([{ url }, `{"url":"${url}"}`]);
  expect(batch.status).toBe('running');
  expect(keys).toEqual([undefined, undefined]);
  const file = `{"url":"${url}"}\n{"url":"${url}"}\n`;
  expect(JSON.parse(api.requests[0]?.body ?? '')).toEqual({ input: 'upload', content_length: file.length });
  expect(api.requests.slice(1).map(({ line, body }) => [line, body])).toEqual([
    ['PUT /old', file],
    ['GET /api/v1/scraper/batches/b', ''],
    ['PUT /new', file],
    ['POST /api/v1/scraper/batches/b/start', ''],
  ]);
});

const SECRET = `whsec_${Buffer.from('a secret of twenty-four bytes').toString('base64')}`;
const EVENT = JSON.stringify({ type: 'webhook.test', timestamp: '2026-11-26T00:00:00Z', data: {} });
const signed = (at = new Date(), secret = SECRET) => ({
  'webhook-id': 'msg_1',
  'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
  'webhook-signature': new Webhook(secret).sign('msg_1', at, EVENT),
});

test('a webhook that the independent library signed is verified', async () => {
  expect(await verifyWebhook(EVENT, signed(), SECRET)).toMatchObject({ type: 'webhook.test' });
  const headers = new Headers(signed());
  expect(await verifyWebhook(Buffer.from(EVENT), headers, SECRET)).toMatchObject({ type: 'webhook.test' });
});

test('a webhook that an old and a new secret signed is verified by either', async () => {
  const other = `whsec_${Buffer.from('another one').toString('base64')}`;
  const both = {
    ...signed(),
    'webhook-signature': `${signed(new Date(), other)['webhook-signature']} ${signed()['webhook-signature']}`,
  };
  for (const secret of [SECRET, other])
    expect(await verifyWebhook(EVENT, both, secret)).toMatchObject({ type: 'webhook.test' });
});

const MINUTES = 60_000;
test.each<[string, string, Record<string, string>, string]>([
  ['another body', `${EVENT} `, signed(), SECRET],
  ['another secret', EVENT, signed(), 'whsec_b3RoZXI='],
  ['an old timestamp', EVENT, signed(new Date(Date.now() - 6 * MINUTES)), SECRET],
  ['a timestamp that is not a number', EVENT, { ...signed(), 'webhook-timestamp': 'now' }, SECRET],
  ['no signature', EVENT, { ...signed(), 'webhook-signature': '' }, SECRET],
  [
    'a signature of another version',
    EVENT,
    { ...signed(), 'webhook-signature': signed()['webhook-signature'].replace('v1', 'v2') },
    SECRET,
  ],
  ['a signature that is not base64', EVENT, { ...signed(), 'webhook-signature': 'v1,%%%' }, SECRET],
])('a webhook with %s is refused', async (_, body, headers, secret) => {
  expect(await failure(verifyWebhook(body, headers, secret))).toMatchObject({ code: 'invalid_signature' });
});
