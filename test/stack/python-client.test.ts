import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { readLocalEnv } from '../../shared/local-config.ts';
import { FAULTS_OF_CALLERS, faultProxy } from '../support/servers/fault-proxy.ts';
import { sharedStack } from '../support/stack/shared-stack.ts';
import { extent } from '../support/world/extent.ts';
import { newOrganization } from '../support/world/organization.ts';

const stack = await sharedStack();
const inRepository = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const { api_key: apiKey } = await newOrganization(stack.storage, { plan: 'business' });

const python = (url: string, ...args: string[]) =>
  promisify(execFile)('python3', args, {
    env: {
      PATH: readLocalEnv().path,
      PYTHONPATH: inRepository('clients/python'),
      PYTHONDONTWRITEBYTECODE: '1',
      SITEFETCH_URL: url,
      SITEFETCH_KEY: apiKey,
    },
  });

const hasPython = await python('', '-c', 'import sys; sys.exit(sys.version_info < (3, 9))').then(
  () => true,
  () => false,
);

const readme = await readFile(inRepository('clients/python/README.md'), 'utf8');
const [scrape = '', crawl = ''] = [...readme.matchAll(/```python\n(.*?)```/gs)].map(([, code = '']) =>
  code.replaceAll('https://example.com', stack.demoSite),
);

const ROUNDS = extent(6, 500);
describe.skipIf(!hasPython)('the client for Python', () => {
  test('prints a page and its cost as its README shows', async () => {
    const { stdout } = await python(stack.baseUrl, '-c', scrape);
    expect(stdout).toContain('# Demo site');
    expect(stdout).toMatch(/page 200 Credits\(used=1, remaining=\d+, reason='page'\) [0-9a-f-]{36}\n$/);
  });

  test('crawls a shop as its README shows', async () => {
    const lines = (await python(stack.baseUrl, '-c', crawl)).stdout.trim().split('\n');
    expect(lines.filter((line) => / completed \d+$/.test(line)).length).toBeGreaterThan(20);
  });

  test(
    'over a network with faults loses and repeats no job, and gets every page whole',
    { tags: ['soak'] },
    async () => {
      await using network = await faultProxy(stack.baseUrl, {
        seed: 11,
        rate: 0.3,
        faults: FAULTS_OF_CALLERS,
      });
      const script = inRepository('test/fixtures/clients/faulty_network.py');
      const page = `${stack.demoSite}/big?mb=1`;
      const sent = Buffer.from(await (await fetch(page)).arrayBuffer());
      const hash = createHash('sha256').update(sent).digest('hex');
      const { stdout } = await python(network.url, script, page, String(ROUNDS));
      const { jobs, listed } = JSON.parse(stdout) as { jobs: string[][]; listed: string[] };
      expect(new Set(jobs.flatMap(([, ...hashes]) => hashes))).toEqual(new Set([hash]));
      expect(new Set(jobs.map(([id]) => id)).size).toBe(ROUNDS);
      const calls = [...network.counts.values()].reduce((sum, each) => sum + each);
      expect(calls).toBeGreaterThan(extent(20, 2_000));
      // A job is listed within seconds.
      expect(listed.filter((id) => !jobs.some(([known]) => known === id))).toEqual([]);
    },
  );
});
