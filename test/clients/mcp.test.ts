import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildCommandLine } from '../../clients/build.ts';
import { tokensIn } from '../../clients/mcp/cut-text.ts';
import { readLocalEnv } from '../../shared/local-config.ts';
import { sharedStack } from '../support/stack/shared-stack.ts';
import { newOrganization } from '../support/world/organization.ts';

type Result = {
  content: { type: string; text?: string; uri?: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
};
type McpClient = {
  connect: (transport: unknown) => Promise<void>;
  listTools: () => Promise<{ tools: { name: string }[] }>;
  callTool: (call: { name: string; arguments: object }) => Promise<Result>;
  close: () => Promise<void>;
};

const inRepository = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
/** The protocol's own client, which is installed beside this test, and only there. */
const load = async (name: string) =>
  (await import(
    inRepository(join('test/clients/node_modules/@modelcontextprotocol/client/dist', name))
  )) as Record<string, new (...args: unknown[]) => unknown>;

const stack = await sharedStack();
const { api_key: key } = await newOrganization(stack.storage, { plan: 'business' });
const { Client, StreamableHTTPClientTransport } = await load('index.mjs');
const { StdioClientTransport } = await load('stdio.mjs');
if (!Client || !StreamableHTTPClientTransport || !StdioClientTransport)
  throw new Error('The client of the protocol is not installed.');

const command = {
  command: process.execPath,
  args: [inRepository('clients/cli/dist/sitefetch.js'), 'mcp'],
  env: { PATH: readLocalEnv().path, SITEFETCH_URL: stack.baseUrl, SITEFETCH_KEY: key },
};
const requestInit = { headers: { Authorization: `Bearer ${key}` } };
const transports = {
  stdio: () => new StdioClientTransport(command),
  HTTP: () => new StreamableHTTPClientTransport(new URL(`${stack.baseUrl}/mcp`), { requestInit }),
};

beforeAll(() => buildCommandLine());

const used = async () => {
  const response = await fetch(`${stack.baseUrl}/api/v1/account`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  return ((await response.json()) as { credits: { used: number } }).credits.used;
};

describe.each(Object.entries(transports))('over %s', (_, transport) => {
  const client = new Client({ name: 'test', version: '1.0.0' }) as McpClient;
  beforeAll(() => client.connect(transport()));
  afterAll(() => client.close());

  const call = (name: string, args: object) => client.callTool({ name, arguments: args });
  test('five tools take at most 1,500 tokens', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['scrape', 'extract', 'map', 'crawl', 'read']);
    expect(tokensIn(JSON.stringify(tools))).toBeLessThan(1_500);
  });

  /** The texts of all parts of a page, each within the budget, and its last part. */
  async function allParts(args: { url: string; format?: string; max_tokens: number }) {
    const { max_tokens } = args;
    const first = await call('scrape', args);
    const texts: string[] = [];
    for (let part = first; ;) {
      const text = part.content[1]?.text ?? '';
      expect(tokensIn(text)).toBeLessThanOrEqual(max_tokens);
      texts.push(text);
      const { id, next_offset: offset } = part.structuredContent ?? {};
      if (offset === undefined) return { first, texts, last: part };
      part = await call('read', { id, offset, max_tokens });
    }
  }

  test('a page comes in parts that make the whole text, is charged once, and is marked as untrusted', async () => {
    const before = await used();
    const { first, texts, last } = await allParts({ url: stack.demoSite, max_tokens: 100 });
    expect(first.content[0]?.text).toMatch(/^Untrusted content of /);
    const heading = { heading: '# Demo site', offset: expect.any(Number) as number };
    expect(first.structuredContent?.['outline']).toContainEqual(heading);
    expect(texts.length).toBeGreaterThan(2);
    const link = last.content.find(({ type }) => type === 'resource_link')?.uri ?? '';
    const whole = await fetch(link, { headers: { Authorization: `Bearer ${key}` } });
    expect(texts.join('')).toBe(await whole.text());
    expect((await used()) - before).toBe(1);
  });

  test('a page of 2 MB comes in parts, whole, and is charged once', async () => {
    const before = await used();
    const url = `${stack.demoSite}/big?mb=2`;
    const { texts } = await allParts({ url, format: 'html', max_tokens: 8_000 });
    expect(texts.length).toBeGreaterThan(80);
    expect(texts.join('')).toBe(await (await fetch(url)).text());
    expect((await used()) - before).toBe(1);
  });

  test('values are extracted by rules', async () => {
    const { structuredContent } = await call('extract', { url: stack.demoSite, rules: { title: 'h1' } });
    expect(structuredContent).toEqual({ values: { title: 'Demo site' } });
  });

  test('a site is mapped, and crawled into one text', async () => {
    const map = await call('map', { url: `${stack.demoSite}/magazine`, limit: 10 });
    expect(map.structuredContent?.['urls']).toHaveLength(10);
    const { structuredContent } = await call('crawl', { url: `${stack.demoSite}/magazine`, limit: 3 });
    const read = () => call('read', { id: structuredContent?.['id'] });
    await expect
      .poll(async () => (await read()).content.at(-1)?.text, { timeout: 60_000, interval: 1_000 })
      .toContain(`# ${stack.demoSite}/magazine`);
  });

  test('faults are results that say what to do', async () => {
    const refused = await call('scrape', { url: 'http://127.0.0.1:1/' });
    expect(refused).toMatchObject({ isError: true });
    expect(refused.content[0]?.text).toMatch(/^url_not_allowed: /);
    expect(await call('read', { id: 'nonsense' })).toMatchObject({ isError: true });
    expect(await call('nonsense', {})).toMatchObject({ isError: true });
  });
});
