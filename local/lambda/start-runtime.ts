import { spawn, type ChildProcess } from 'node:child_process';
import { basename, dirname, join } from 'node:path';
import { createHash, randomUUID } from 'node:crypto';
import { getCompileCacheDir } from 'node:module';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import type { FunctionSpec } from './function-spec.ts';
import type { RuntimeSettings } from './bootstrap.ts';

/** Lambda's runtime leaves a tenth of the memory for uses other than the JavaScript heap. */
const HEAP_SHARE = 0.9;

/** So many megabytes are filled before V8 first looks for garbage, which a start is short of. */
const YOUNG_MB = 16;

/** Starts the process of one environment. `api` is the address of its Runtime API. */
export function startRuntime(spec: FunctionSpec, api: string, temporary: string): ChildProcess {
  const { name: functionName, taskRoot, handler, memoryMb } = spec;
  const heap = `--max-old-space-size=${Math.floor(memoryMb * HEAP_SHARE)}`;
  const logs = { logGroupName: `/aws/lambda/${functionName}`, logStreamName: basename(temporary) };
  const young = `--min-semi-space-size=${YOUNG_MB}`;
  const runtime = [
    heap,
    young,
    ...runtimeCommand({ api, taskRoot, handler, functionName, memoryMb, ...logs }),
  ];
  // https://docs.aws.amazon.com/lambda/latest/dg/runtimes-modify.html#runtime-wrapper
  const { AWS_LAMBDA_EXEC_WRAPPER: wrapper } = spec.variables;
  const [command, args] =
    wrapper === undefined ? [process.execPath, runtime] : [wrapper, [process.execPath, ...runtime]];
  return spawn(command, args, {
    cwd: taskRoot,
    env: {
      ...spec.variables,
      AWS_LAMBDA_RUNTIME_API: api,
      AWS_LAMBDA_FUNCTION_NAME: functionName,
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMb),
      AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
      AWS_LAMBDA_LOG_GROUP_NAME: logs.logGroupName,
      AWS_LAMBDA_LOG_STREAM_NAME: logs.logStreamName,
      LAMBDA_TASK_ROOT: taskRoot,
      _HANDLER: handler,
      TZ: ':UTC',
      TMPDIR: temporary,
      HOME: temporary,
      ...compileCache(),
    },
    // Its own group can be killed as a whole, and does not receive the stack's Ctrl-C.
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

/** A program that keeps compiled code, as tests do, shares it with its functions. */
function compileCache(): NodeJS.ProcessEnv {
  const folder = getCompileCacheDir();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}

const BOOTSTRAP = fileURLToPath(new URL('bootstrap.ts', import.meta.url));
const CACHE = fileURLToPath(new URL('../../.cache/', import.meta.url));
const HASH_LENGTH = 16;

let runtime: string | undefined;

function runtimeCommand(settings: RuntimeSettings): string[] {
  return [runtimeFile(), JSON.stringify(settings)];
}

export function runtimeFile(): string {
  runtime ??= bundled();
  return runtime;
}

/** One script without types: removing them takes 60 ms of CPU, which each environment would spend. */
function bundled(): string {
  const options = { bundle: true, platform: 'node', format: 'esm', write: false } as const;
  const code = buildSync({ entryPoints: [BOOTSTRAP], ...options }).outputFiles[0]?.text ?? '';
  const hash = createHash('sha256').update(code).digest('hex').slice(0, HASH_LENGTH);
  const file = join(CACHE, `runtime-${hash}.mjs`);
  if (existsSync(file)) return file;
  const draft = `${file}.${randomUUID()}`;
  mkdirSync(CACHE, { recursive: true });
  writeFileSync(draft, code);
  renameSync(draft, file);
  return file;
}
