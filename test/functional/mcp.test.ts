import { beforeEach, describe, expect, test } from 'vitest';
import { callTool } from '../../clients/mcp/call-tool.ts';
import { tokensIn } from '../../clients/mcp/cut-text.ts';
import { Sitefetch } from '../../clients/typescript/src/sitefetch.ts';
import { AppError } from '../../shared/errors.ts';
import { createKey } from '../../shared/use-cases/accounts/manage-keys.ts';
import { newService } from '../support/world/api.ts';
import { API_URL } from '../support/world/in-memory-world.ts';
import { page } from '../support/world/pages.ts';

type Result = {
  content: { type: string; text?: string; uri?: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
};

const URL = 'https://example.com/';
const OLD = { 'MCP-Protocol-Version': '2025-06-18' };

let [{ world, service, key, orgId }] = [await newService({ allow: [], hasModel: true })];
beforeEach(async () => {
  ({ world, service, key, orgId } = await newService({ allow: [], hasModel: true }));
  const { send } = world.queue;
  world.queue.send = async (job) => {
    await send(job);
    await service.work();
  };
});

/** A request of a client of 2025, or of 2026, which sends with each who it is. */
const send = (method: string, params: object = {}, headers: Record<string, string> = OLD) =>
  service.post(
    '/mcp',
    key,
    { jsonrpc: '2.0', id: 1, method, params },
    { Accept: 'application/json, text/event-stream', ...headers },
  );
const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const sendNew = (method: string, params: { name?: string; notifications?: object } = {}) =>
  send(
    method,
    { ...params, _meta: meta },
    {
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': method,
      ...(params.name && { 'Mcp-Name': params.name }),
    },
  );

/** The message of a response, which a server of 2025 sends as an event. */
const messageOf = ({ text }: { text: string }) =>
  JSON.parse(/^data: (.+)$/m.exec(text)?.[1] ?? text) as { result: unknown; error?: { code: number } };
const call = async (name: string, args: object) =>
  messageOf(await send('tools/call', { name, arguments: args })).result as Result;
const used = async () =>
  ((await service.ask('/api/v1/account', { key })).json['credits'] as { used: number }).used;

describe('agents', () => {
  test.each([
    ['2025', send],
    ['2026', sendNew],
  ])('of %s list five tools in at most 1,500 tokens', async (_, ask) => {
    const { tools } = messageOf(await ask('tools/list')).result as { tools: { name: string }[] };
    expect(tools.map(({ name }) => name)).toEqual(['scrape', 'extract', 'map', 'crawl', 'read']);
    expect(tokensIn(JSON.stringify(tools))).toBeLessThan(1_500);
  });

  test('read a page of 2 MB in parts that make the whole text, and pay once', async () => {
    const rain = (day: number) =>
      Array.from({ length: 500 }, (_, at) => `It rains at ${day}.${at}.`).join(' ');
    const sections = Array.from({ length: 200 }, (_, day) => `<h2>Day ${day}</h2><p>${rain(day)}`);
    world.web[URL] = page(sections.join(''));
    const asked = { max_tokens: 200_000 };
    let part = await call('scrape', { url: URL, ...asked });
    expect(part.content[0]?.text).toMatch(/^Untrusted content of /);
    const { id, total_tokens: total } = part.structuredContent ?? {};
    const texts: string[] = [];
    for (;;) {
      texts.push(part.content[1]?.text ?? '');
      expect(tokensIn(texts.at(-1) ?? '')).toBeLessThanOrEqual(asked.max_tokens);
      const { next_offset: offset } = part.structuredContent ?? {};
      if (offset === undefined) break;
      part = await call('read', { id, offset, ...asked });
    }
    const link = part.content.find(({ type }) => type === 'resource_link')?.uri ?? '';
    const whole = await service.ask(link, { key });
    expect(whole.text.length).toBeGreaterThan(2_000_000);
    expect(texts.join('')).toBe(whole.text);
    expect(tokensIn(whole.text)).toBe(total);
    expect(await used()).toBe(1);
  });

  test('get the values of a page, the URLs of a site, and an id for a crawl', async () => {
    world.web[URL] = page('<h1>Tea</h1><p>A shop for tea of all kinds.</p><a href="/green">Green</a>');
    const values = await call('extract', { url: URL, rules: { title: 'h1' } });
    expect(values.structuredContent).toEqual({ values: { title: 'Tea' } });
    world.model.answer = ({ prompt, found }) => ({ values: { prompt, ...found } });
    const schema = { type: 'object' };
    const read = await call('extract', { url: URL, rules: { title: 'h1' }, schema, prompt: 'Only tea.' });
    expect(read.structuredContent).toEqual({ values: { prompt: 'Only tea.', title: 'Tea' } });
    const neither = await call('extract', { url: URL });
    expect(neither.content[0]?.text).toContain('extract needs rules or schema');
    const missing = page('Not found', { status: 404 });
    for (const path of ['robots.txt', 'sitemap.xml', 'sitemap_index.xml']) world.web[URL + path] = missing;
    const { structuredContent: map } = await call('map', { url: URL });
    expect(map).toMatchObject({ urls: [URL, `${URL}green`], complete: true });
    const { structuredContent: crawl } = await call('crawl', { url: URL, limit: 2 });
    const state = await call('read', { id: crawl?.['id'] });
    expect(state.structuredContent).toEqual(crawl);
    expect(state.content[0]?.text).toMatch(/^Still running: /);
  });

  test('read faults as results, with the sentence of the API', async () => {
    world.web[URL] = new AppError('tls_failed');
    const results = await Promise.all([
      call('scrape', { url: URL }),
      call('scrape', { url: 'http://10.0.0.1/' }),
      call('scrape', {}),
      call('read', { id: 'job/01a1fc65-ce39-73c6-a38e-ad4f30b810a7' }),
      call('read', { id: 'nonsense' }),
      call('nonsense', {}),
      call('constructor', {}),
    ]);
    expect(results.map(({ isError, content }) => [isError, content[0]?.text?.split(/[:.]/)[0]])).toEqual([
      [true, 'tls_failed'],
      [true, 'url_not_allowed'],
      [true, 'invalid_request'],
      [true, 'not_found'],
      [true, '"nonsense" is not an id of scrape or crawl'],
      [true, 'There is no tool "nonsense"'],
      [true, 'There is no tool "constructor"'],
    ]);
    expect(await used()).toBe(0);
  });

  test('learn which argument is wrong, and nothing is requested', async () => {
    const faults = await Promise.all([
      call('scrape', { url: URL, mode: 'fast' }),
      call('scrape', { url: URL, screenshot: true }),
      call('scrape', { format: 'text' }),
      call('crawl', { url: URL, limit: 100_000 }),
      call('crawl', { url: URL, include: ['/a', 1] }),
    ]);
    expect(faults.map(({ isError, content }) => isError === true && content[0]?.text)).toEqual([
      'invalid_request: mode must be equal to one of the allowed values.',
      'invalid_request: Unknown argument "screenshot": scrape has url, format, mode, wait_for, max_tokens.',
      "invalid_request: must have required property 'url'.",
      'invalid_request: limit must be <= 500.',
      'invalid_request: include.1 must be string.',
    ]);
    expect(world.jobs.all()).toEqual([]);
  });

  test('are held to what their key may do, and to the limits of their organization', async () => {
    world.web[URL] = page('<h1>Tea</h1>');
    const wanted = { orgId, name: 'agent', mode: 'live', createdBy: 'ada' } as const;
    const restrictions = { routes: ['jobs' as const], formats: ['markdown' as const] };
    ({ api_key: key } = await createKey(world, { ...wanted, restrictions }));
    expect(await call('scrape', { url: URL })).not.toHaveProperty('isError');
    for (const refused of [
      await call('map', { url: URL }),
      await call('scrape', { url: URL, format: 'text' }),
    ])
      expect(refused.content[0]?.text).toMatch(/^key_not_allowed: /);
    ({ key } = await service.organization({ overrides: { rpm: 1 } }));
    await call('scrape', { url: URL });
    expect((await call('scrape', { url: URL })).content[0]?.text).toMatch(/^rate_limited: /);
    ({ key } = await service.organization({ overrides: { readsPerMinute: 1 } }));
    await send('tools/list');
    expect(await send('tools/list')).toMatchObject({ status: 429, json: { code: 'rate_limited' } });
  });

  test('get the id of a page that takes longer than they wait, and pay for it once', async () => {
    world.web[URL] = page('<h1>Tea</h1>');
    world.queue.send = () => Promise.resolve();
    const fetched = async (url: string, init: RequestInit) => {
      const { method = 'GET', headers, body } = init;
      const answer = await service.ask(url, { method, headers: headers as Record<string, string>, body });
      return new Response(answer.bytes, answer);
    };
    const client = new Sitefetch({ apiKey: key, baseUrl: API_URL, fetch: fetched });
    const slow = { client, apiUrl: API_URL, patienceMs: 10 };
    const { content, structuredContent } = await callTool(slow, 'scrape', { url: URL });
    const { id = '' } = structuredContent as { id?: string };
    expect(content).toMatchObject([{ text: expect.stringContaining(`with the id ${id}`) as string }]);
    expect((await call('read', { id })).content[0]?.text).toMatch(/^job_not_finished: /);
    await service.work(world.jobs.all().map((job) => job.id));
    expect((await call('read', { id })).content[1]?.text).toContain('# Tea');
    expect(await used()).toBe(1);
  });

  test('of one organization wait ten at a time at most', async () => {
    const gate = Promise.withResolvers<undefined>();
    world.web[URL] = page('<h1>Tea</h1>');
    world.queue.send = () => gate.promise;
    const answers = Array.from({ length: 11 }, () =>
      send('tools/call', { name: 'scrape', arguments: { url: URL } }),
    );
    expect(await Promise.race(answers)).toMatchObject({
      status: 429,
      json: { code: 'too_many_concurrent' },
    });
    gate.resolve(undefined);
  });
});

describe('the endpoint', () => {
  test('needs a key', async () => {
    key = 'sf_test_nonsense';
    expect(await send('tools/list')).toMatchObject({ status: 401, json: { code: 'unauthorized' } });
  });

  test.each(['GET', 'DELETE'])('has no sessions to %s', async (method) => {
    expect(await service.ask('/mcp', { method, key })).toMatchObject({
      status: 405,
      headers: { Allow: 'POST' },
    });
  });

  test.each([
    ['https://evil.example', 403],
    ['null', 403],
    [API_URL, 200],
  ])('gives a page of the origin %s %i', async (Origin, status) => {
    expect(await send('tools/list', {}, { ...OLD, Origin })).toMatchObject({ status });
  });

  test('acknowledges a subscription and ends it, as tools never change', async () => {
    const { status, text } = await sendNew('subscriptions/listen', {
      notifications: { toolsListChanged: true },
    });
    const [acknowledged, ended] = [...text.matchAll(/^data: (.+)$/gm)].map(
      ([, data = '']) => JSON.parse(data) as object,
    );
    expect(status).toBe(200);
    expect(acknowledged).toMatchObject({ method: 'notifications/subscriptions/acknowledged' });
    expect(ended).toMatchObject({ result: { resultType: 'complete' } });
  });

  test('keeps unexpected errors to its log', async () => {
    const { wait } = world;
    world.wait = () => Promise.reject(new Error('The table is gone.'));
    const { content } = await call('scrape', { url: URL });
    world.wait = wait;
    expect(content[0]?.text).toMatch(/^internal: /);
  });

  const LIST = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
  const CANCEL = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}';
  test.each([
    ...['{', '[]', '{"jsonrpc":"2.0"}', '', 'null', `\uFEFF${LIST}`],
    // Nothing would end the response of a request that is cancelled beside it.
    `[${LIST},${CANCEL}]`,
  ])('refuses the body %s', async (body) => {
    const { status, json } = await service.post('/mcp', key, body, {
      Accept: 'application/json, text/event-stream',
    });
    expect([status, json['jsonrpc']]).toEqual([400, '2.0']);
  });
});
