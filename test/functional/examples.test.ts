import { execFile } from 'node:child_process';
import { mkdtempDisposable, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test, vi } from 'vitest';
import { readLocalEnv } from '../../shared/local-config.ts';
import { targetServer } from '../support/servers/target-server.ts';

const { path: PATH } = readLocalEnv();
const inExamples = (name: string) => fileURLToPath(new URL(`../../docs/examples/${name}`, import.meta.url));

// Starting a process is slow on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

const PAGE_HEADERS = ['X-Target-Status', 'X-Target-Url', 'X-Credits-Used', 'X-Credits-Remaining'];

type Run = { code: number; stdout: string; stderr: string };

async function run(program: string, args: string[], env: object, cwd: string): Promise<Run> {
  return promisify(execFile)(program, args, { env: { PATH, ...env }, cwd }).then(
    (printed) => ({ code: 0, ...printed }),
    (error: unknown) => error as Run,
  );
}

const hasRequests = (await run('python3', ['-c', 'import requests'], {}, tmpdir())).code === 0;

describe.concurrent.each([
  { name: 'scrape.sh', program: 'bash' },
  { name: 'scrape.mjs', program: process.execPath },
  ...(hasRequests ? [{ name: 'scrape.py', program: 'python3' }] : []),
])('$name', ({ name, program }) => {
  test('prints its usage', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'example-'));
    const { code, stderr } = await run(program, [inExamples(name)], {}, folder.path);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/^Usage: .*\n$/);
  });

  test('exits with an error for a failed job, and leaves no file behind', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'example-'));
    await using elsewhere = await mkdtempDisposable(join(tmpdir(), 'example-'));
    const asked: string[] = [];
    const states = ['running', 'failed'];
    await using api = await targetServer(({ method, url = '' }, response) => {
      const path = url.replace(/^.*scraper|\?.*$/g, '');
      asked.push(`${method} ${path}`);
      if (path === '') {
        for (const header of PAGE_HEADERS) response.setHeader(header, '1');
        response.end('<html>');
      } else {
        const status = path === '/jobs' ? 'pending' : states.shift();
        const job = { job_id: 'the-job', status, error: 'No such host.', error_code: 'dns_failed' };
        response.setHeader('Retry-After', '1').end(JSON.stringify(job));
      }
    });
    const env = { SITEFETCH_URL: api.origin, SITEFETCH_KEY: 'sf_x', TMPDIR: elsewhere.path };
    const { code, stderr } = await run(program, [inExamples(name), 'http://a.test/'], env, folder.path);
    expect(code).not.toBe(0);
    expect(stderr).toContain('dns_failed');
    expect(asked.slice(1)).toEqual(['POST /jobs', 'GET /jobs/the-job', 'GET /jobs/the-job']);
    expect(await readdir(folder.path)).toEqual([]);
  });
});
