import { parseArgs } from 'node:util';
import { diskFull, isDiskFull } from './disk-full.ts';
import { HELP } from './help.ts';
import type { LocalStack } from './start-stack.ts';

const INTERRUPTED = 130;
const [FAULT, MAX_MS] = [1, 10_000];

const starting = new AbortController();
let stack: LocalStack | undefined;
let isStopping = false;
let localDir = '';

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop());
process.on('uncaughtException', (error) => void fail(error));

try {
  const { fresh, help } = typedOptions();
  if (help) {
    console.log(HELP);
    process.exit(0);
  }
  print(fresh ? 'Starting Sitefetch without the state of earlier runs' : 'Starting Sitefetch');
  // Loaded only now, so that the first line does not wait a second for them.
  const [{ readStartEnv }, { startStack }, { banner }] = await Promise.all([
    import('../shared/local-config.ts'),
    import('./start-stack.ts'),
    import('./banner.ts'),
  ]);
  const environment = readStartEnv();
  ({ localDir } = environment);
  stack = await startStack({ ...environment, fresh, report: print, signal: starting.signal });
  console.log(banner({ ...environment, ...stack }));
} catch (error) {
  if (!starting.signal.aborted) console.error(lineOf(error));
  process.exit(starting.signal.aborted ? 0 : FAULT);
}

function typedOptions() {
  const flag = { type: 'boolean', default: false } as const;
  try {
    return parseArgs({ options: { fresh: flag, help: { ...flag, short: 'h' } } }).values;
  } catch {
    throw new Error('npm start takes --fresh and --help, after --: npm start -- --help');
  }
}

function lineOf(error: unknown): string {
  if (isDiskFull(error)) return diskFull(localDir);
  return error instanceof Error ? error.message : String(error);
}

/** Only a full disk is foreseen: the emulators throw. What stops now may throw once more. */
async function fail(error: Error): Promise<void> {
  if (!isDiskFull(error)) {
    console.error(error);
    process.exit(FAULT);
  }
  if (isStopping) return;
  isStopping = true;
  console.error(diskFull(localDir));
  starting.abort();
  setTimeout(() => process.exit(FAULT), MAX_MS);
  await stack?.[Symbol.asyncDispose]();
  process.exit(FAULT);
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
  // What stops is no news.
  if (isStopping) return;
  console.log(`${new Date().toTimeString().slice(0, 8)} ${line}`);
}
