import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Metafile } from 'esbuild';
import type { Bundles } from '../infra/constructs/bundle-functions.ts';
import type { FunctionName } from '../shared/config.ts';
import { rounded } from './compare.ts';
import { median } from './measure.ts';

const run = promisify(execFile);
const TOP = 6;
const KILOBYTE = 1_000;

/** Enough to load any function. */
const VARIABLES = {
  ACCOUNTS_TABLE: 'accounts',
  ACTIVITY_TABLE: 'activity',
  JOBS_TABLE: 'jobs',
  RESULTS_BUCKET: 'results',
  JOBS_QUEUE_URL: 'http://127.0.0.1/jobs',
  WEBHOOKS_TABLE: 'webhooks',
  NOTICES_QUEUE_URL: 'http://127.0.0.1/notices',
  WEBHOOK_KEY_ARN: 'key',
  BROWSER_FUNCTION: 'browser',
  API_HOST: 'api.invalid',
  IDENTITY_TABLE: 'identity',
  USER_POOL_ID: 'users',
  USER_POOL_CLIENT_ID: 'dashboard',
  API_URL: 'https://api.invalid',
  SIGN_UP: 'open',
  AWS_REGION: 'us-east-1',
};
const TIMED_IMPORT = `const startedAt = performance.now(); globalThis.awslambda = { streamifyResponse: (it) => it };
await import(process.argv[1]); console.log(performance.now() - startedAt); process.exit();`;

/** Bytes of a function's bundle by package; the project's own code is `sitefetch`. */
export async function bytesByPackage(bundle: string): Promise<Record<string, number>> {
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

/** Time and memory to load a module in a running Node, and its largest packages. */
export async function moduleRows(bundles: Bundles, chromiumDir: string, rounds: number) {
  const names = Object.keys(bundles) as FunctionName[];
  const rows: Record<string, { load_ms: number; kb: number; most: string }> = {};
  for (const name of names) {
    const times = [];
    for (let round = 0; round < rounds; round += 1) times.push(await loadMs(bundles[name], chromiumDir));
    const bytes = Object.entries(await bytesByPackage(bundles[name])).sort(([, a], [, b]) => b - a);
    rows[name] = {
      load_ms: rounded(median(times)),
      kb: Math.round(bytes.reduce((sum, [, size]) => sum + size, 0) / KILOBYTE),
      most: bytes
        .slice(0, TOP)
        .map(([from, size]) => `${from} ${Math.round(size / KILOBYTE)}`)
        .join(', '),
    };
  }
  return rows;
}

async function loadMs(bundle: string, chromiumDir: string): Promise<number> {
  const argv = ['--input-type=module', '-e', TIMED_IMPORT, join(bundle, 'index.mjs')];
  const { stdout } = await run(process.execPath, argv, {
    cwd: dirname(bundle),
    env: {
      ...VARIABLES,
      CHROMIUM_DIR: chromiumDir,
      BROWSER_PROCESSES: 'one',
      CHROMIUM_RELEASED: '2026-01-01',
    },
  });
  return Number(stdout.trim().split('\n').at(-1));
}
