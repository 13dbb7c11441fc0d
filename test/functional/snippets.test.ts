import { execFile } from 'node:child_process';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';
import { buildCommandLine } from '../../clients/build.ts';
import { snippets } from '../../functions/dashboard/assets/snippets.js';
import { readLocalEnv } from '../../shared/local-config.ts';
import { targetServer } from '../support/servers/target-server.ts';

// Starting a process is slow on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const { path: PATH } = readLocalEnv();
const inRepository = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const run = (program: string, args: string[], env: object) =>
  promisify(execFile)(program, args, { env: { PATH, ...env } });

/** How a reader runs the code, with the clients of the repository instead of installed ones. */
const RUNNERS: Readonly<
  Record<keyof typeof snippets, (code: string, folder: string, env: object) => Promise<unknown>>
> = {
  curl: (code, _, env) => run('bash', ['-c', code], env),
  typescript: async (code, folder, env) => {
    const file = join(folder, 'snippet.ts');
    const client = inRepository('clients/typescript/src/sitefetch.ts');
    await writeFile(file, code.replace("'@sitefetch/client'", JSON.stringify(client)));
    return run(process.execPath, ['--disable-warning=MODULE_TYPELESS_PACKAGE_JSON', file], env);
  },
  python: (code, _, env) =>
    run('python3', ['-c', code], { ...env, PYTHONPATH: inRepository('clients/python') }),
  cli: async (code, folder, env) => {
    const program = join(folder, 'sitefetch.mjs');
    await buildCommandLine(program);
    return run('bash', ['-c', `sitefetch() { ${process.execPath} ${program} "$@"; }\n${code}`], env);
  },
};

const OPTIONS = {
  url: "https://example.com/it's?a=1&b=$HOME",
  render_js: true,
  wait: 500,
  format: 'extract',
  extract_rules: { 'the "price"': { selector: '.price', all: false } },
  session_id: '17',
  wait_for: "a[title='x']",
  retry_on: [429, 503],
};
const PICTURE = { url: 'https://example.com/', format: 'screenshot' };

test.concurrent.each(Object.keys(snippets) as (keyof typeof snippets)[])(
  'the code for %s sends the request that the page shows, with and without the key in it',
  async (language) => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'snippets-'));
    const received: unknown[] = [];
    await using api = await targetServer((request: IncomingMessage, response: ServerResponse) => {
      void text(request).then((body) => {
        received.push([request.url, request.headers.authorization, JSON.parse(body)]);
        response.writeHead(200, { 'Content-Type': 'text/plain', 'X-Target-Status': '200' }).end('the page');
      });
    });
    const endpoint = `${api.origin}/api/v1/scraper`;
    for (const [request, key] of [[OPTIONS], [PICTURE, 'sf_own']] as const) {
      const code = snippets[language](endpoint, request, key);
      const shown = await RUNNERS[language](code, folder.path, { SITEFETCH_KEY: 'sf_env' });
      expect(received.splice(0), code).toEqual([['/api/v1/scraper', `Bearer ${key ?? 'sf_env'}`, request]]);
      expect(shown).toMatchObject({ stdout: expect.stringContaining('the page') as string });
    }
  },
);
