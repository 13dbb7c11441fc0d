import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtempDisposable, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedStack } from '../support/stack/shared-stack.ts';

const stack = await sharedStack();
const inRepository = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const packages = inRepository('test/clients/node_modules');
const bin = (name: string) => join(packages, '.bin', name);

/** The generators' command lines, with their default options. */
const GENERATORS = {
  'openapi-fetch': ['openapi-typescript', './openapi.json', '--output', 'schema.d.ts'],
  'hey-api': ['openapi-ts', '--input', './openapi.json', '--output', 'hey', '--no-log-file'],
} as const;

const NAMES = ['openapi-fetch', 'hey-api'] as const;

// Within the repository, so that its types of Node.js are found.
await mkdir(inRepository('.cache'), { recursive: true });
const folder = await mkdtempDisposable(inRepository('.cache/client-'));
afterAll(() => folder.remove());
const run = (program: string, args: readonly string[]) =>
  promisify(execFile)(process.execPath, [program, ...args], { cwd: folder.path });

/** Generates the clients, and compiles them with their callers in one run. */
beforeAll(async () => {
  const document = await (await fetch(`${stack.baseUrl}/openapi.json`)).text();
  await symlink(packages, join(folder.path, 'node_modules'));
  await writeFile(join(folder.path, 'openapi.json'), document);
  await writeFile(join(folder.path, 'package.json'), '{ "type": "module" }');
  await writeFile(join(folder.path, 'tsconfig.json'), JSON.stringify(TSCONFIG));
  for (const name of NAMES) {
    const [generator, ...options] = GENERATORS[name];
    await run(bin(generator), options);
    await copyFile(inRepository(`test/fixtures/clients/${name}.ts`), join(folder.path, `${name}.ts`));
  }
  await run(bin('tsc'), ['--project', '.']);
});

test.each(NAMES)('a client for %s, generated from the served document, compiles and works', async (name) => {
  const { stdout } = await run(`${name}.js`, [stack.baseUrl, stack.apiKey, stack.demoSite]);

  expect(JSON.parse(stdout)).toMatchObject({
    text: await (await fetch(stack.demoSite)).text(),
    credits: 'page',
    job_id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
    status: expect.stringMatching(/^(pending|running|completed)$/) as string,
    code: 'url_not_allowed',
    retryable: false,
  });
});

const TSCONFIG = {
  compilerOptions: {
    target: 'es2024',
    lib: ['es2024', 'dom', 'dom.iterable'],
    module: 'nodenext',
    strict: true,
    types: ['node'],
  },
};
