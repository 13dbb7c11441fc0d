import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { readLocalEnv } from '../../shared/config.ts';
import { checks } from './checks.ts';
import { openSession } from './session.ts';

const USAGE = `Usage: npm run smoke -- [--url URL --key KEY] [--target PAGE]

Tries a service from end to end: --url is the output ApiUrl, --key a key with at least 7 credits left, --target the page
to scrape (https://example.com/). Without --url and --key it is the stack of npm start, with its demo site.`;

const MAX_MS = 60_000;
const DEFAULT_PAGE = 'https://example.com/';
const StackFile = z.object({ base_url: z.string(), api_key: z.string(), demo_site: z.string() });

const options = {
  url: { type: 'string' },
  key: { type: 'string' },
  target: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

try {
  const { values } = parseArgs({ options });
  if (values.help) console.log(USAGE);
  else if (!(await smoke(values))) process.exitCode = 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

type Values = { url?: string; key?: string; target?: string };

async function smoke(values: Values): Promise<boolean> {
  const { url, key, page } = await targetOf(values);
  console.log(`${url}, scraping ${page}\n`);
  const session = openSession({ url, key, page, signal: AbortSignal.timeout(MAX_MS) });
  let failures = 0;
  for (const [name, check] of Object.entries(checks)) {
    const startedAt = performance.now();
    const fault = await faultOf(() => check(session));
    const ms = Math.round(performance.now() - startedAt);
    console.log(fault === undefined ? `ok    ${name} (${ms} ms)` : `FAIL  ${name}: ${fault}`);
    if (fault !== undefined) failures += 1;
  }
  console.log(
    `\n${failures === 0 ? 'All is well.' : `${failures} of ${Object.keys(checks).length} failed.`}`,
  );
  return failures === 0;
}

async function targetOf({ url, key, target }: Values): Promise<{ url: string; key: string; page: string }> {
  const page = target ?? DEFAULT_PAGE;
  if (url !== undefined && key !== undefined) return { url, key, page };
  if (url !== undefined || key !== undefined) throw new Error(`--url and --key go together.\n\n${USAGE}`);
  const file = join(readLocalEnv().localDir, 'stack.json');
  const text = await readFile(file, 'utf8').catch(() => {
    throw new Error(`There is no ${file}: no npm start runs here.\n\n${USAGE}`);
  });
  const { base_url, api_key, demo_site } = StackFile.parse(JSON.parse(text));
  return { url: base_url, key: api_key, page: target ?? `${demo_site}/js` };
}

async function faultOf(check: () => Promise<void>): Promise<string | undefined> {
  try {
    await check();
    return undefined;
  } catch (error) {
    return described(error);
  }
}

/** An error in one line, with what caused it. */
function described(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
