import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test, vi } from 'vitest';
import { serveGateway } from '../../local/gateway/gateway.ts';
import { openPort } from '../../local/open-port.ts';
import { localFunction } from '../support/stack/local-functions.ts';

const gatewayResponses = [
  {
    ResponseType: 'MISSING_AUTHENTICATION_TOKEN',
    StatusCode: 404,
    ResponseParameters: { 'gatewayresponse.header.X-Request-Id': 'context.requestId' },
    ResponseTemplates: {
      'application/json': '{"type":"$context.error.responseType","id":"$context.requestId"}',
    },
  },
  {
    ResponseType: 'DEFAULT_5XX',
    StatusCode: 500,
    ResponseParameters: { 'gatewayresponse.header.X-Credits-Used': "'0'" },
    ResponseTemplates: { 'application/json': '{"message":$context.error.messageString}' },
  },
];

/** A gateway with one streaming function with this body behind all routes. */
async function gatewayTo(body: string, { timeoutMs = 20_000, isStreamed = true } = {}) {
  const handler = isStreamed
    ? `awslambda.streamifyResponse(async (event, out) => {
         const begin = (head) => awslambda.HttpResponseStream.from(out, head); ${body} })`
    : `async (event) => { ${body} }`;
  const probe = await localFunction(`export const handler = ${handler};`);
  const paths = ['/items', '/items/{id}', '/items/special', '/files/{path+}'];
  const common = { api: 'api', method: 'ANY', functionArn: 'probe', timeoutMs, isStreamed };
  const routes = paths.map((path) => ({ ...common, path }));
  const lines: string[] = [];
  const calls: [string, string][] = [];
  const gateway = await openPort(0);
  const starting = await fetch(gateway.url);
  expect([starting.status, starting.headers.get('Retry-After')]).toEqual([503, '2']);
  serveGateway(gateway.server, {
    blueprint: { routes, gatewayResponses },
    apiUrl: gateway.url,
    functionOf: () => probe.lambda,
    began: (...call) => calls.push(call),
    report: (line) => lines.push(line),
  });
  return {
    url: gateway.url,
    lines,
    calls,
    probe,
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      await probe[Symbol.asyncDispose]();
    },
  };
}

const ECHO = `const stream = begin({ statusCode: 200, headers: { 'content-type': 'application/json' } });
  stream.write(JSON.stringify(event)); stream.end();`;

test('a request becomes the event of a REST proxy integration', async () => {
  await using gateway = await gatewayTo(ECHO);
  const response = await fetch(`${gateway.url}/items/a%2Fb?x=1&x=2&y=%20z`, {
    method: 'PUT',
    body: 'hé',
    headers: { 'X-Mine': 'yes' },
  });
  expect(await response.json()).toMatchObject({
    resource: '/items/{id}',
    path: '/items/a%2Fb',
    httpMethod: 'PUT',
    pathParameters: { id: 'a/b' },
    queryStringParameters: { x: '2', y: ' z' },
    multiValueQueryStringParameters: { x: ['1', '2'] },
    headers: { 'X-Mine': 'yes' },
    body: 'hé',
    isBase64Encoded: false,
    requestContext: { identity: { sourceIp: '127.0.0.1' }, resourcePath: '/items/{id}' },
  });
});

test('missing query, parameters and body are null', async () => {
  await using gateway = await gatewayTo(ECHO);
  expect(await (await fetch(`${gateway.url}/items`)).json()).toMatchObject({
    queryStringParameters: null,
    pathParameters: null,
    body: null,
  });
});

test.each([
  ['/items/special', '/items/special'],
  ['/items/other', '/items/{id}'],
  ['/files/a/b.txt', '/files/{path+}'],
])('%s is routed to %s', async (path, resource) => {
  await using gateway = await gatewayTo(ECHO);
  expect(await (await fetch(gateway.url + path)).json()).toMatchObject({ resource });
});

test.each(['/', '/item', '/items/', '/items/1/2'])(
  '%s gets the gateway response of the template',
  async (path) => {
    await using gateway = await gatewayTo(ECHO);
    const response = await fetch(gateway.url + path);
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({
      type: 'MISSING_AUTHENTICATION_TOKEN',
      id: response.headers.get('x-request-id'),
    });
  },
);

test('a large body passes through byte for byte', async () => {
  await using gateway = await gatewayTo(`const stream = begin({ statusCode: 203 });
    for (let i = 0; i < 30; i += 1) if (!stream.write(Buffer.alloc(1e6, i))) await new Promise((go) => stream.once('drain', go));
    stream.end();`);
  const response = await fetch(`${gateway.url}/items`);
  const bytes = new Uint8Array(await response.arrayBuffer());
  expect([response.status, bytes.length, bytes[0], bytes.at(-1)]).toEqual([203, 30e6, 0, 29]);
});

test('a buffered integration returns its JSON', async () => {
  await using gateway = await gatewayTo(
    `return { statusCode: 201, headers: { 'X-A': 1 }, multiValueHeaders: { 'Set-Cookie': ['a', 'b'] },
      body: Buffer.from('hello').toString('base64'), isBase64Encoded: true };`,
    { isStreamed: false },
  );
  const response = await fetch(`${gateway.url}/items`);
  expect([response.status, response.headers.get('x-a'), response.headers.getSetCookie()]).toEqual([
    201,
    '1',
    ['a', 'b'],
  ]);
  expect(response.headers.get('content-length')).toBe('5');
  expect(await response.text()).toBe('hello');
});

test('headers of the gateway are renamed, and a stream is sent in chunks', async () => {
  await using gateway =
    await gatewayTo(`const stream = begin({ statusCode: 401, headers: { 'Content-Length': '4',
    'WWW-Authenticate': 'Bearer', Date: 'then', 'Content-Type': 'text/x', 'Content-Encoding': 'identity', ETag: '"1"', Age: '9' } });
    stream.write('body'); stream.end();`);
  const { headers, ...response } = await fetch(`${gateway.url}/items`).then(async (it) => ({
    headers: it.headers,
    text: await it.text(),
  }));
  expect(response.text).toBe('body');
  expect(headers.get('transfer-encoding')).toBe('chunked');
  expect(headers.has('content-length') || headers.has('www-authenticate')).toBe(false);
  expect(headers.get('date')).not.toBe('then');
  expect(Object.fromEntries(headers)).toMatchObject({
    'x-amzn-remapped-content-length': '4',
    'x-amzn-remapped-www-authenticate': 'Bearer',
    'x-amzn-remapped-date': 'then',
    'content-type': 'text/x',
    'content-encoding': 'identity',
    etag: '"1"',
    age: '9',
  });
});

test.each([
  ['throws', `throw new Error('secret');`],
  ['dies', `process.exit(1);`],
  ['responds without a head', `out.write('no head'); out.end();`],
  [
    'sets an invalid header',
    `begin({ statusCode: 200, headers: { 'a\\nb': 'c' } }); out.write('x'); out.end();`,
  ],
])('a function that %s is a 5xx without details', async (_, body) => {
  await using gateway = await gatewayTo(body);
  const response = await fetch(`${gateway.url}/items`);
  expect([response.status, response.headers.get('x-credits-used')]).toEqual([500, '0']);
  expect(await response.json()).toEqual({ message: 'Internal server error' });
});

test('a response that is cut off does not look complete', async () => {
  await using gateway = await gatewayTo(
    `const stream = begin({ statusCode: 200 }); await new Promise((go) => stream.write('half', go)); process.exit(1);`,
  );
  const response = await fetch(`${gateway.url}/items`);
  expect(response.status).toBe(200);
  await expect(response.text()).rejects.toThrow('terminated');
});

test('a function that exceeds the integration timeout is a gateway timeout', async () => {
  await using gateway = await gatewayTo(
    `await new Promise((go) => setTimeout(go, 600)); begin({ statusCode: 200 }); out.write('late'); out.end();`,
    { timeoutMs: 300 },
  );
  const response = await fetch(`${gateway.url}/items`);
  expect(await response.json()).toEqual({ message: 'Endpoint request timed out' });
});

test('a function finishes after its client disconnects', async () => {
  await using gateway = await gatewayTo(`const stream = begin({ statusCode: 200 });
    for (let i = 0; i < 50; i += 1) if (!stream.write(Buffer.alloc(1e6))) await new Promise((go) => stream.once('drain', go));
    stream.end(); console.log('finished');`);
  const client = request(`${gateway.url}/items`).end();
  await once(client, 'response');
  client.destroy();
  await vi.waitFor(() => expect(gateway.probe.messages).toContain('finished'), { timeout: 10_000 });
});

test('a request that no function serves is logged without its query, and calls of functions have an id', async () => {
  await using gateway = await gatewayTo(ECHO);
  await fetch(`${gateway.url}/nowhere?key=secret`);
  await vi.waitFor(() =>
    expect(gateway.lines).toEqual([expect.stringMatching(/^GET \/nowhere {2}404 {2}\d+ ms$/)]),
  );
  const response = await fetch(`${gateway.url}/items/1?key=secret`);
  const { requestContext } = (await response.json()) as { requestContext: { requestId: string } };
  expect(gateway.calls).toEqual([[requestContext.requestId, 'GET /items/1']]);
  expect(gateway.lines).toHaveLength(1);
});

test('a body over 10 MB is refused', async () => {
  await using gateway = await gatewayTo(ECHO);
  const response = await fetch(`${gateway.url}/items`, {
    method: 'POST',
    body: Buffer.alloc(10 * 2 ** 20 + 1),
  });
  expect(response.status).toBe(413);
});

test.each([
  ['headers that are too long', `GET /items HTTP/1.1\r\nHost: x\r\nX-A: ${'x'.repeat(20_000)}\r\n\r\n`],
  ['a line that is no request', 'nonsense\r\n\r\n'],
])('%s get an error of the gateway, in its form', async (_, sent) => {
  await using gateway = await gatewayTo(ECHO);
  const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
  socket.end(sent);
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 [^]+application\/json[^]+\{"message":"Bad Request"\}$/);
});
