import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';
import type { Answer, Fault, Invocation } from './invocation.ts';
import { killGroup, killTree } from './process-tree.ts';
import { openRuntimeApi } from './runtime-api.ts';
import { runtimeCommand } from './runtime-command.ts';

/** A function as its template declares it. */
export type FunctionSpec = {
  name: string;
  /** Short name for logs and folders. */
  label: string;
  arn: string;
  /** Folder of the bundle. */
  taskRoot: string;
  handler: string;
  timeoutSeconds: number;
  memoryMb: number;
  variables: Record<string, string>;
};

/** One process that runs one invocation at a time. */
export type ExecutionEnvironment = {
  pid: number | undefined;
  /** True once it waits for an event, false once it has ended. */
  waits: () => Promise<boolean>;
  /** The fault that ended its start. */
  initFault: () => Fault | undefined;
  /** Undefined if it is not waiting for an event. */
  invoke: (invocation: Invocation) => Promise<Answer> | undefined;
  /** Settles when its processes and files are gone. */
  exited: Promise<void>;
  /** Kills it and its descendants. */
  stop: () => Promise<void>;
};

type EnvironmentOptions = {
  spec: FunctionSpec;
  /** Its own TMPDIR, removed when it ends. */
  temporary: string;
  log: (line: string) => void;
};

/** Lambda's runtime leaves a tenth of the memory for uses other than the JavaScript heap. */
const HEAP_SHARE = 0.9;

export async function startEnvironment({
  spec,
  temporary,
  log,
}: EnvironmentOptions): Promise<ExecutionEnvironment> {
  let turn = Promise.withResolvers<boolean>();
  let timer: NodeJS.Timeout | undefined;
  let initFault: Fault | undefined = {
    errorType: 'Runtime.ExitError',
    errorMessage: 'The function exited during its start.',
  };
  await mkdir(temporary, { recursive: true });
  const api = await openRuntimeApi({
    onNext: () => {
      clearTimeout(timer);
      initFault = undefined;
      turn.resolve(true);
    },
    onInitError: (fault) => (initFault = fault),
  });
  const child = startRuntime(spec, api.address, temporary);
  for (const output of [child.stdout, child.stderr]) {
    if (output) createInterface({ input: output }).on('line', log);
  }

  async function cleanUp(): Promise<void> {
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    clearTimeout(timer);
    api.fail(exitFault(code, signal));
    if (child.pid !== undefined) killGroup(child.pid);
    await api[Symbol.asyncDispose]();
    await rm(temporary, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
    turn.resolve(false);
    // Later calls of `waits` get false too.
    turn = Promise.withResolvers();
    turn.resolve(false);
  }
  const exited = cleanUp();

  return {
    pid: child.pid,
    waits: () => turn.promise,
    initFault: () => initFault,
    exited,
    stop: async () => {
      await stopTree(child);
      await exited;
    },
    invoke: (invocation) => {
      const timeout = spec.timeoutSeconds * 1_000;
      const answer = api.invoke(invocation, spec.arn, Date.now() + timeout);
      if (!answer) return undefined;
      turn = Promise.withResolvers();
      timer = setTimeout(() => {
        api.fail(timeoutFault(invocation.requestId, spec.timeoutSeconds));
        void stopTree(child);
      }, timeout);
      return answer;
    },
  };
}

function startRuntime(spec: FunctionSpec, api: string, temporary: string): ChildProcess {
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

async function stopTree({ pid }: ChildProcess): Promise<void> {
  if (pid !== undefined) await killTree(pid);
}

function timeoutFault(requestId: string, seconds: number): Fault {
  return {
    errorType: 'Sandbox.Timedout',
    errorMessage: `RequestId: ${requestId} Error: Task timed out after ${seconds.toFixed(2)} seconds`,
  };
}

function exitFault(code: number | null, signal: NodeJS.Signals | null): Fault {
  const status = signal === null ? `exit status ${code ?? 0}` : `signal: ${signal}`;
  return { errorType: 'Runtime.ExitError', errorMessage: `Runtime exited with error: ${status}` };
}
