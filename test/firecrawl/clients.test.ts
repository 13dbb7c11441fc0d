import { execFile, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';

const SITE = 'https://docs.firecrawl.dev/';
const installed = (path: string) => fileURLToPath(new URL(`node_modules/${path}`, import.meta.url));

/** URL and key of the service are in the environment, as users set them. */
describe('firecrawl-cli', () => {
  async function firecrawl(...args: string[]): Promise<string> {
    const cli = installed('firecrawl-cli/dist/index.js');
    return (await promisify(execFile)(process.execPath, [cli, ...args])).stdout;
  }

  test('scrapes a page as Markdown', async () => {
    expect(await firecrawl('scrape', SITE)).toContain('# docs.firecrawl.dev');
  });

  test('maps a site', async () => {
    expect(await firecrawl('map', SITE, '--limit', '5')).toContain(`${SITE}docs/start`);
  });

  test('crawls a site, and waits for it', async () => {
    const options = ['--limit', '2', '--wait', '--poll-interval', '1'];
    const output = await firecrawl('crawl', SITE, ...options);
    expect(output).toContain('# docs.firecrawl.dev');
    expect(output).toContain('"status":"completed"');
  });
});

type Result = { isError?: boolean; content: { text: string }[] };

describe('firecrawl-mcp', () => {
  const server = spawn(process.execPath, [installed('firecrawl-mcp/dist/index.js')]);
  afterAll(() => server.kill());
  const waiting = new Map<number, (result: Result) => void>();
  createInterface({ input: server.stdout }).on('line', (line) => {
    const { id, result } = JSON.parse(line) as { id?: number; result: Result };
    if (id !== undefined) waiting.get(id)?.(result);
  });
  let calls = 0;

  const send = (message: object) => server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  function request(method: string, params: object): Promise<Result> {
    const { promise, resolve } = Promise.withResolvers<Result>();
    waiting.set((calls += 1), resolve);
    send({ id: calls, method, params });
    return promise;
  }

  async function call(name: string, args: object): Promise<string> {
    const { isError = false, content } = await request('tools/call', { name, arguments: args });
    const text = content.map((each) => each.text).join('\n');
    expect([isError, text]).toEqual([false, text]);
    return text;
  }

  test('scrapes, maps and crawls over stdio', async () => {
    const clientInfo = { name: 'test', version: '1' };
    await request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
    send({ method: 'notifications/initialized' });
    const page = await call('firecrawl_scrape', { url: SITE, formats: ['markdown'] });
    expect(page).toContain('# docs.firecrawl.dev');
    expect(await call('firecrawl_map', { url: SITE, limit: 5 })).toContain(`${SITE}docs/start`);
    const [id] =
      /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(await call('firecrawl_crawl', { url: SITE, limit: 2 })) ?? [];
    await expect
      .poll(() => call('firecrawl_check_crawl_status', { id }), { timeout: 60_000, interval: 1_000 })
      .toMatch(/"status":\s*"completed"/);
  });
});
