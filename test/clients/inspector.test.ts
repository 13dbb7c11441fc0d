import { execFile } from 'node:child_process';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildCommandLine } from '../../clients/build.ts';
import { tokensIn } from '../../clients/mcp/cut-text.ts';
import { readLocalEnv } from '../../shared/local-config.ts';
import { sharedStack } from '../support/stack/shared-stack.ts';
import { newOrganization } from '../support/world/organization.ts';

type Result = { structuredContent: Record<string, unknown> };

const inRepository = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const INSPECTOR = 'test/clients/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js';
const PROGRAM = inRepository('clients/cli/dist/sitefetch.js');

const stack = await sharedStack();
const { api_key: key } = await newOrganization(stack.storage, { plan: 'business' });
const home = await mkdtempDisposable(`${tmpdir()}/inspector-`);
afterAll(() => home.remove());
beforeAll(() => buildCommandLine());

const settings = { SITEFETCH_URL: stack.baseUrl, SITEFETCH_KEY: key };
const TARGETS = {
  HTTP: [`${stack.baseUrl}/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${key}`],
  stdio: [
    process.execPath,
    PROGRAM,
    'mcp',
    ...Object.entries(settings).flatMap((pair) => ['-e', pair.join('=')]),
  ],
};

describe.each(Object.entries(TARGETS))("the protocol's inspector over %s", (_, target) => {
  async function ask<T>(...args: string[]): Promise<T> {
    const env = { PATH: readLocalEnv().path, HOME: home.path };
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [inRepository(INSPECTOR), '--cli', ...target, ...args],
      { env },
    );
    return JSON.parse(stdout) as T;
  }
  const call = (name: string, args: Record<string, string>) =>
    ask<Result>(
      ...['--method', 'tools/call', '--tool-name', name],
      ...Object.entries(args).flatMap((pair) => ['--tool-arg', pair.join('=')]),
    );

  test('lists five tools in at most 1,500 tokens, without a problem in their schemas', async () => {
    const { tools } = await ask<{ tools: { name: string }[] }>('--method', 'tools/list', '--strict');
    expect(tools.map(({ name }) => name)).toEqual(['scrape', 'extract', 'map', 'crawl', 'read']);
    expect(tokensIn(JSON.stringify(tools))).toBeLessThanOrEqual(1_500);
  });

  test('calls each tool', async () => {
    const url = stack.demoSite;
    const { structuredContent: page } = await call('scrape', { url, max_tokens: '100' });
    expect(page['id']).toMatch(/^job\//);
    expect(page['next_offset']).toBeGreaterThan(0);
    const next = await call('read', { id: String(page['id']), offset: String(page['next_offset']) });
    expect(next.structuredContent).toMatchObject({ id: page['id'] });
    const values = await call('extract', { url, rules: '{"title": "h1"}' });
    expect(values.structuredContent).toEqual({ values: { title: 'Demo site' } });
    const site = `${url}/magazine`;
    expect((await call('map', { url: site, limit: '3' })).structuredContent['urls']).toHaveLength(3);
    const crawl = await call('crawl', { url: site, limit: '2', include: '["/magazine/**"]' });
    expect(crawl.structuredContent['id']).toMatch(/^crawl\//);
  });
});
