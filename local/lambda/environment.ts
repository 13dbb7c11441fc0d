import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { FunctionSpec } from './function-spec.ts';
import type { Answer, Fault, Invocation } from './invocation.ts';
import { killGroup, killTree } from './process-tree.ts';
import { openRuntimeApi, type RuntimeApi } from './runtime-api.ts';
import { startRuntime } from './start-runtime.ts';

/** One process that runs one invocation at a time. */
export type ExecutionEnvironment = {
  pid: number | undefined;
  /** True once it waits for an event, false once it has ended. */
  waits: () => Promise<boolean>;
  initFault: () => Fault | undefined;
  /** Undefined if it is not waiting for an event. */
  invoke: (invocation: Invocation) => Promise<Answer> | undefined;
  /** Settles when its processes and files are gone. */
  exited: Promise<void>;
  stop: () => Promise<void>;
};

type EnvironmentOptions = {
  spec: FunctionSpec;
  /** Its own TMPDIR, removed when it ends. */
  temporary: string;
  log: (line: string) => void;
};

type Life = {
  turn: PromiseWithResolvers<boolean>;
  timer?: NodeJS.Timeout | undefined;
  initFault: Fault | undefined;
};

const EXITED = { errorType: 'Runtime.ExitError', errorMessage: 'The function exited during its start.' };

export async function startEnvironment(options: EnvironmentOptions): Promise<ExecutionEnvironment> {
  const { spec, temporary, log } = options;
  const life: Life = { turn: Promise.withResolvers(), initFault: EXITED };
  await mkdir(temporary, { recursive: true });
  const api = await openRuntimeApi({
    onNext: () => {
      clearTimeout(life.timer);
      life.initFault = undefined;
      life.turn.resolve(true);
    },
    onInitError: (fault) => (life.initFault = fault),
  });
  const child = startRuntime(spec, api.address, temporary);
  for (const output of [child.stdout, child.stderr]) {
    if (output) createInterface({ input: output }).on('line', log);
  }
  const exited = cleanUp(life, api, child, temporary);
  return {
    pid: child.pid,
    waits: () => life.turn.promise,
    initFault: () => life.initFault,
    exited,
    stop: async () => {
      await stopTree(child);
      await exited;
    },
    invoke: (invocation) => {
      const timeoutMs = spec.timeoutSeconds * 1_000;
      const answer = api.invoke(invocation, spec.arn, Date.now() + timeoutMs);
      if (answer) begin(life, timeoutMs, () => expire(api, child, invocation.requestId, spec));
      return answer;
    },
  };
}

function begin(life: Life, timeoutMs: number, onTimeout: () => void): void {
  life.turn = Promise.withResolvers();
  life.timer = setTimeout(onTimeout, timeoutMs);
}

function expire(api: RuntimeApi, child: ChildProcess, requestId: string, spec: FunctionSpec): void {
  api.fail(timeoutFault(requestId, spec.timeoutSeconds));
  void stopTree(child);
}

/** Waits for the end of the process, and removes everything that it leaves. */
async function cleanUp(life: Life, api: RuntimeApi, child: ChildProcess, temporary: string): Promise<void> {
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  clearTimeout(life.timer);
  api.fail(exitFault(code, signal));
  if (child.pid !== undefined) killGroup(child.pid);
  await api[Symbol.asyncDispose]();
  await rm(temporary, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  life.turn.resolve(false);
  // Later calls of `waits` get false too.
  life.turn = Promise.withResolvers();
  life.turn.resolve(false);
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
