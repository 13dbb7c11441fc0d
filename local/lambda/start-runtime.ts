import { spawn, type ChildProcess } from 'node:child_process';
import { basename } from 'node:path';
import type { FunctionSpec } from './function-spec.ts';
import { runtimeCommand } from './runtime-command.ts';

/** Lambda's runtime leaves a tenth of the memory for uses other than the JavaScript heap. */
const HEAP_SHARE = 0.9;

/** Starts the process of one environment. `api` is the address of its Runtime API. */
export function startRuntime(spec: FunctionSpec, api: string, temporary: string): ChildProcess {
  const { name: functionName, taskRoot, handler, memoryMb } = spec;
  const heap = `--max-old-space-size=${Math.floor(memoryMb * HEAP_SHARE)}`;
  const logs = { logGroupName: `/aws/lambda/${functionName}`, logStreamName: basename(temporary) };
  const runtime = [heap, ...runtimeCommand({ api, taskRoot, handler, functionName, memoryMb, ...logs })];
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
    },
    // Its own group can be killed as a whole, and does not receive the stack's Ctrl-C.
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}
