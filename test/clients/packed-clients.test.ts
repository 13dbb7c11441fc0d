import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtempDisposable, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { typesOf } from '../../clients/typescript/write-types.ts';
import { readLocalEnv } from '../../shared/local-config.ts';
import { targetServer } from '../support/servers/target-server.ts';
import { sharedStack } from '../support/stack/shared-stack.ts';

const stack = await sharedStack();
const PATH = [dirname(process.execPath), readLocalEnv().path].join(':');
const inRepository = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const run = promisify(execFile);

/** An empty folder, into which the packed client is installed. */
const folder = await mkdtempDisposable(join(tmpdir(), 'packed-'));
afterAll(() => folder.remove());
const installed = join(folder.path, 'node_modules/@sitefetch/client');
let tarball: string;

const npm = (args: string[], cwd: string) =>
  run('npm', args, { cwd, env: { PATH, HOME: folder.path, npm_config_cache: join(folder.path, '.npm') } });

beforeAll(async () => {
  await npm(
    ['pack', '--pack-destination', folder.path, '--loglevel', 'error'],
    inRepository('clients/typescript'),
  );
  const [name = ''] = (await readdir(folder.path)).filter((each) => each.endsWith('.tgz'));
  tarball = join(folder.path, name);
  await mkdir(join(folder.path, 'node_modules'));
  await npm(['install', '--offline', '--no-audit', '--no-fund', tarball], folder.path);
});

test('the types are what the generator makes of the committed document', async () => {
  const document = await readFile(inRepository('docs/openapi.json'), 'utf8');
  expect(await readFile(inRepository('clients/typescript/src/schema.ts'), 'utf8')).toBe(typesOf(document));
});

test('the package has no dependency, and less than 20 KB of code as gzip', async () => {
  const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as object;
  expect(manifest).not.toHaveProperty('dependencies');
  const files = (await readdir(join(installed, 'dist'))).filter((name) => name.endsWith('.js'));
  const code = await Promise.all(files.map((name) => readFile(join(installed, 'dist', name))));
  expect(gzipSync(Buffer.concat(code)).byteLength).toBeLessThan(20_000);
});

/** Both are installed beside this test, and only there. */
const load = async (name: string) =>
  (await import(inRepository(`test/clients/node_modules/${name}`))) as never;

test('publint and attw find no fault in the package', async () => {
  const { publint } = (await load('publint/src/index-node.js')) as {
    publint: (options: object) => Promise<{ messages: unknown[] }>;
  };
  const { messages } = await publint({ pkgDir: installed, strict: true, pack: false });
  expect(messages).toEqual([]);
  const { checkPackage, createPackageFromTarballData } = (await load(
    '@arethetypeswrong/core/dist/index.js',
  )) as {
    checkPackage: (pkg: unknown) => Promise<{ problems: { kind: string; resolutionKind?: string }[] }>;
    createPackageFromTarballData: (data: Uint8Array) => unknown;
  };
  const { problems } = await checkPackage(createPackageFromTarballData(await readFile(tarball)));
  // It is an ES module: require() of old versions of Node.js and resolution without `exports` find none.
  const isOfModule = ({ kind, resolutionKind }: { kind: string; resolutionKind?: string }) =>
    kind === 'CJSResolvesToESM' || (kind === 'NoResolution' && resolutionKind === 'node10');
  expect(problems.filter((problem) => !isOfModule(problem))).toEqual([]);
});

const readme = await readFile(inRepository('clients/typescript/README.md'), 'utf8');
const [scrape = '', bulk = '', webhooks = ''] = [...readme.matchAll(/```js\n(.*?)```/gs)].map(
  ([, code = '']) => code,
);
const env = { PATH, SITEFETCH_URL: stack.baseUrl, SITEFETCH_KEY: stack.apiKey };

async function printed(name: string, code: string): Promise<string> {
  const file = join(folder.path, name);
  await writeFile(file, code.replaceAll('https://example.com', stack.demoSite));
  return (await run(process.execPath, [file], { env })).stdout;
}

test('the first example of the README prints a page and its cost', async () => {
  const output = await printed('first.mjs', scrape);
  expect(output).toContain('# Demo site');
  expect(output).toMatch(/page 200 \{ used: 1, remaining: \d+, reason: 'page' \} [0-9a-f-]{36}\n$/);
});

test('the example of a crawl prints a line for each page of a shop', async () => {
  const lines = (await printed('bulk.mjs', bulk)).trim().split('\n');
  expect(lines.filter((line) => / completed \d+$/.test(line)).length).toBeGreaterThan(20);
});

test('the example of a receiver accepts what is signed, and nothing else', async () => {
  const secret = 'whsec_c2l4dGVlbiBieXRlcyAhIQ==';
  const { port, [Symbol.asyncDispose]: free } = await targetServer(() => undefined);
  await free();
  await writeFile(join(folder.path, 'receiver.mjs'), webhooks);
  const receiver = spawn(process.execPath, [join(folder.path, 'receiver.mjs')], {
    env: { ...env, WEBHOOK_SECRET: secret, PORT: String(port) },
  });
  try {
    const body = JSON.stringify({ type: 'webhook.test', timestamp: new Date().toISOString(), data: {} });
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(Date.now() / 1_000)),
      'webhook-signature': new Webhook(secret).sign('msg_1', new Date(), body),
    };
    const post = (text: string) =>
      fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: text, headers }).then(
        ({ status }) => status,
        () => undefined,
      );
    await expect.poll(() => post(body)).toBe(204);
    expect(await post(`${body} `)).toBe(400);
  } finally {
    receiver.kill();
    await once(receiver, 'exit');
  }
});
