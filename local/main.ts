import { relative, resolve } from 'node:path';
import { prettifyError, ZodError } from 'zod';
import { readLocalEnv } from '../shared/config.ts';
import { startStack, type LocalStack } from './start-stack.ts';

const INTERRUPTED = 130;

const starting = new AbortController();
let stack: LocalStack | undefined;
let isStopping = false;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop());

try {
  const environment = readLocalEnv();
  stack = await startStack({ ...environment, report: print, signal: starting.signal });
  welcome(stack, environment.localDir);
} catch (error) {
  if (!starting.signal.aborted) console.error(explain(error));
  process.exit(starting.signal.aborted ? 0 : 1);
}

/** The second time at once: what is left ends by itself when its parent is gone. */
async function stop(): Promise<void> {
  if (isStopping) process.exit(INTERRUPTED);
  isStopping = true;
  starting.abort();
  if (!stack) return;
  await stack[Symbol.asyncDispose]();
  process.exit(0);
}

function explain(error: unknown): string {
  if (error instanceof ZodError) return prettifyError(error);
  return error instanceof Error ? error.message : String(error);
}

function print(line: string): void {
  console.log(`${new Date().toTimeString().slice(0, 8)} ${line}`);
}

function welcome({ baseUrl, apiKey, demoSite }: LocalStack, localDir: string): void {
  const target = new URLSearchParams({ url: `${demoSite}/js`, render_js: 'true' });
  console.log(`
Sitefetch runs at ${baseUrl}

  Demo site  ${demoSite}
  API key    ${apiKey}
  Logs       ${relative('.', resolve(localDir, 'logs'))}/

Try it:

  curl -H 'Authorization: Bearer ${apiKey}' '${baseUrl}/api/v1/scraper?${target.toString()}'

Ctrl-C stops it.
`);
}
