import { parseArgs } from 'node:util';
import type { LocalStack } from './start-stack.ts';

const INTERRUPTED = 130;

const starting = new AbortController();
let stack: LocalStack | undefined;
let isStopping = false;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop());

try {
  const { fresh } = parseArgs({ options: { fresh: { type: 'boolean', default: false } } }).values;
  print(fresh ? 'Starting Sitefetch without the state of earlier runs' : 'Starting Sitefetch');
  // Loaded only now, so that the first line does not wait a second for them.
  const [{ readStartEnv }, { startStack }, { banner }] = await Promise.all([
    import('../shared/config.ts'),
    import('./start-stack.ts'),
    import('./banner.ts'),
  ]);
  const environment = readStartEnv();
  stack = await startStack({ ...environment, fresh, report: print, signal: starting.signal });
  console.log(banner({ ...environment, ...stack }));
} catch (error) {
  if (!starting.signal.aborted) console.error(error instanceof Error ? error.message : String(error));
  process.exit(starting.signal.aborted ? 0 : 1);
}

/** A second signal ends it at once; child processes end by themselves when their parent is gone. */
async function stop(): Promise<void> {
  if (isStopping) process.exit(INTERRUPTED);
  isStopping = true;
  starting.abort();
  if (!stack) return;
  await stack[Symbol.asyncDispose]();
  process.exit(0);
}

function print(line: string): void {
  console.log(`${new Date().toTimeString().slice(0, 8)} ${line}`);
}
