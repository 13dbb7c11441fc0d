import { mkdtempDisposable, readFile, readdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { fileURLToPath } from 'node:url';
import type { Metafile } from 'esbuild';
import { afterAll, expect, test } from 'vitest';
import { bufferedHandler } from '../../infra/constructs/buffered.ts';
import { bundleFunctions } from '../../infra/constructs/bundle-functions.ts';
import { guideEntries } from '../../infra/docs/guide-list.ts';
import { unpackChromium } from '../../infra/constructs/unpack-chromium.ts';
import { CONVERTER, type FunctionName } from '../../shared/config.ts';
import { errorCodes } from '../../shared/errors.ts';

/** https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html: 250 MB of code and layers, unpacked. */
const LAMBDA_LIMIT = 262_144_000;
const MEGABYTE = 1_000_000;

/** By `openssl x509 -subject_hash`. Their names cover every string type that authorities use. */
const KNOWN = {
  '4042bcee.0': 'ISRG Root X1',
  '607986c7.0': 'DigiCert Global Root G2',
  'ce5e74ef.0': 'Amazon Root CA 1',
  '1001acf7.0': 'GTS Root R1',
  '1d3472b9.0': 'GlobalSign ECC Root CA - R5',
  '988a38cb.0': 'NetLock Arany (Class Gold) Főtanúsítvány',
  '1cef98f5.0': 'TrustAsia Global Root CA G4',
};

const folder = await mkdtempDisposable(join(tmpdir(), 'sitefetch-size-'));
afterAll(() => folder.remove());
const bundles = await bundleFunctions(folder.path);

test('what is deployed is under 3 MB of JavaScript per function', async () => {
  for (const [name, bundle] of Object.entries(bundles)) {
    expect((await stat(join(bundle, 'index.mjs'))).size, name).toBeLessThan(3 * MEGABYTE);
  }
});

test('what is deployed has the thread that converts pages beside the functions that fetch them', async () => {
  for (const [name, bundle] of Object.entries(bundles)) {
    const isThere = (await readdir(bundle)).includes(CONVERTER);
    expect([name, isThere]).toEqual([name, name === 'scraper' || name === 'worker']);
  }
});

test('what is deployed has the scripts for pages beside the function that renders', async () => {
  const source = fileURLToPath(new URL('../../functions/browser/page/scripts', import.meta.url));
  const scripts = (await readdir(source)).filter((file) => file.endsWith('.page.js'));
  expect(await readdir(join(bundles.browser, 'scripts'))).toEqual(expect.arrayContaining(scripts));
});

test('what is deployed has only the AWS clients that each function calls, and no unused code', async () => {
  const clients: Record<FunctionName, string[]> = {
    scraper: ['dynamodb', 'lambda', 's3', 'secrets-manager', 'sqs'],
    jobs: ['dynamodb', 's3', 'sqs'],
    worker: ['dynamodb', 'lambda', 's3', 'secrets-manager', 'sqs'],
    browser: [],
    model: ['bedrock-runtime', 'secrets-manager'],
    sweeper: ['dynamodb', 'sqs'],
    account: ['dynamodb'],
    batches: ['dynamodb', 's3', 'sqs'],
    crawls: ['dynamodb', 's3', 'sqs'],
    webhooks: ['dynamodb', 'secrets-manager', 'sqs'],
    notifier: ['dynamodb', 's3', 'secrets-manager', 'sqs'],
    mcp: ['dynamodb'],
    meta: [],
    dashboard: ['cognito-identity-provider', 'dynamodb', 's3', 'secrets-manager', 'sqs'],
  };
  for (const [name, expected] of Object.entries(clients)) {
    const bytes = await bytesByPackage(bundles[name as FunctionName]);
    const found = Object.keys(bytes).flatMap((from) => /^@aws-sdk\/client-(.*)/.exec(from)?.[1] ?? []);
    expect(found.sort(), name).toEqual(expected);
    for (const unused of ['chromium-bidi', 'yargs', 'modern-tar'])
      expect(bytes[unused] ?? 0, `${name}: ${unused}`).toBeLessThan(5_000);
    const source = await readFile(join(bundles[name as FunctionName], 'index.mjs'), 'utf8');
    // Signs of zod's locales and of inline source maps.
    expect(source, name).not.toMatch(/Ungültige Eingabe|sourceMappingURL=data/);
  }
});

test('what is deployed has the handlers that the templates name', async () => {
  const { outputs } = JSON.parse(await readFile(join(folder.path, 'meta.json'), 'utf8')) as Metafile;
  for (const name of Object.keys(bundles) as FunctionName[]) {
    const [, output] = Object.entries(outputs).find(([path]) => path.endsWith(`/${name}/index.mjs`)) ?? [];
    for (const handler of ['index.handler', bufferedHandler(name)])
      expect(output?.exports, name).toContain(handler.slice('index.'.length));
  }
});

test('what is deployed has the HTTP client and its authorities only beside functions that fetch', async () => {
  const fetching: FunctionName[] = ['scraper', 'worker'];
  for (const name of fetching) {
    const native = await readdir(join(bundles[name], 'node_modules'));
    expect(native.sort()).toEqual(['@wreq-js', 'wreq-js']);
    const authorities = await readdir(join(bundles[name], 'authorities'));
    expect(authorities).toHaveLength(rootCertificates.length);
    expect(authorities).toEqual(expect.arrayContaining(Object.keys(KNOWN)));
  }
  for (const name of ['jobs', 'sweeper'] as const) {
    expect(await readdir(bundles[name])).toEqual(['index.mjs']);
  }
  expect((await readdir(bundles.meta)).sort()).toEqual(['docs', 'index.mjs']);
  expect((await readdir(bundles.dashboard)).sort()).toEqual(['assets', 'index.mjs']);
});

test('what is deployed has the documentation, whole and small', async () => {
  const docs = join(bundles.meta, 'docs');
  expect((await readdir(docs)).sort()).toEqual([
    ...['docs.css', 'docs.js', 'errors', 'icon.svg', 'index.html', 'llms.txt'],
    ...['pages', 'search.html', 'search.json'],
  ]);
  const both = (names: readonly string[]) => names.flatMap((name) => [`${name}.html`, `${name}.md`]).sort();
  expect((await readdir(join(docs, 'errors'))).sort()).toEqual(both(errorCodes));
  expect(await readdir(join(docs, 'pages'))).toEqual(
    expect.arrayContaining(both(guideEntries.map(({ name }) => name))),
  );
  expect(await sizeOf(docs)).toBeLessThan(2 * MEGABYTE);
});

test('what is deployed has one palette for the documentation and the dashboard', async () => {
  const palette = (await readFile('shared/base.css', 'utf8')).trim();
  for (const sheet of [
    join(bundles.meta, 'docs/docs.css'),
    join(bundles.dashboard, 'assets/dashboard.css'),
  ]) {
    expect(await readFile(sheet, 'utf8')).toContain(palette);
  }
});

test("what is deployed fits Lambda's limit together with Chromium", async () => {
  const layer = dirname(await unpackChromium());
  expect((await sizeOf(bundles.browser)) + (await sizeOf(layer))).toBeLessThan(LAMBDA_LIMIT);
});

async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map(async (file) => (await stat(join(file.parentPath, file.name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Bytes of a function's bundle by package; the project's own code is `sitefetch`. */
async function bytesByPackage(bundle: string): Promise<Record<string, number>> {
  const { outputs } = JSON.parse(await readFile(join(bundle, '../meta.json'), 'utf8')) as Metafile;
  const name = bundle.split('/').at(-1) ?? '';
  const [, output] = Object.entries(outputs).find(([path]) => path.endsWith(`/${name}/index.mjs`)) ?? [];
  const bytes: Record<string, number> = {};
  for (const [path, { bytesInOutput }] of Object.entries(output?.inputs ?? {})) {
    const [, from = 'sitefetch'] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path) ?? [];
    bytes[from] = (bytes[from] ?? 0) + bytesInOutput;
  }
  return bytes;
}
