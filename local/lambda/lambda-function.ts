import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { startEnvironment, type ExecutionEnvironment, type FunctionSpec } from './environment.ts';
import { openTaskQueue } from './task-queue.ts';
import type { Answer, Fault, Invocation } from './invocation.ts';

export type LambdaFunction = {
  spec: FunctionSpec;
  /** Waits for a free environment. Throws ThrottledError above the function's reserved concurrency. */
  invoke: (payload: string | Buffer, caller?: Caller) => Promise<Answer>;
  /** Starts a first environment. Throws the fault of its start. */
  warmUp: () => Promise<void>;
  /** Process ids of its environments. */
  pids: () => number[];
  /** The number of environments that wait for an invocation. */
  idle: () => number;
  stop: () => Promise<void>;
};

type Caller = Pick<Invocation, 'tenantId' | 'clientContext'>;

type FunctionOptions = {
  spec: FunctionSpec;
  /** More invocations at once are throttled. */
  reservedConcurrency: number;
  /** More invocations at once wait for a free process. */
  maxEnvironments: number;
  /** Parent of its environments' temporary folders. */
  temporary: string;
  log: (line: string) => void;
};

/** Lambda's 429: the function's concurrency is used up. */
export class ThrottledError extends Error {
  override name = 'TooManyRequestsException';
}

/** A start keeps a core busy, so more at once would delay the first. */
const STARTS_AT_ONCE = availableParallelism();

type Task = { invocation: Invocation; answer: PromiseWithResolvers<Answer> };

/** Runs a function in as many execution environments as its load requires. */
export function runFunction(options: FunctionOptions): LambdaFunction {
  const { spec, reservedConcurrency, maxEnvironments, temporary, log } = options;
  const running = new Set<ExecutionEnvironment>();
  const lives = new Set<Promise<void>>();
  const queue = openTaskQueue<Task>();
  let [count, started, starting, inFlight] = [0, 0, 0, 0];
  let isStopped = false;

  function start(ready?: PromiseWithResolvers<undefined>): void {
    [count, started, starting] = [count + 1, started + 1, starting + 1];
    const life = live(`${spec.label}-${started}`, ready).finally(() => {
      lives.delete(life);
      count -= 1;
      grow();
    });
    lives.add(life);
  }

  /** Runs one environment, which takes tasks until it ends. */
  async function live(name: string, ready?: PromiseWithResolvers<undefined>): Promise<void> {
    const environment = await startEnvironment({ spec, log, temporary: join(temporary, name) });
    running.add(environment);
    if (isStopped) void environment.stop();
    const hasStarted = await environment.waits();
    starting -= 1;
    if (hasStarted) ready?.resolve(undefined);
    else refuse(environment.initFault(), ready);
    await takeTasks(environment);
    running.delete(environment);
  }

  async function takeTasks(environment: ExecutionEnvironment): Promise<void> {
    const taker = queue.taker();
    void environment.exited.then(taker.leave);
    while (await environment.waits()) {
      const task = await taker.take();
      const answer = task && environment.invoke(task.invocation);
      if (!answer) {
        if (task) queue.giveBack(task);
        await environment.exited;
        return;
      }
      task.answer.resolve(answer);
      grow();
      await environment.waits();
      inFlight -= 1;
    }
  }

  /** A failed start fails one invocation, as on Lambda. */
  function refuse(fault: Fault | undefined, ready?: PromiseWithResolvers<undefined>): void {
    const cause = fault ?? { errorType: 'Runtime.Unknown', errorMessage: 'The function did not start.' };
    ready?.reject(new Error(`${spec.label} did not start: ${cause.errorType}: ${cause.errorMessage}`));
    const task = queue.withdraw();
    if (!task) return;
    task.answer.resolve(faulty(cause));
    inFlight -= 1;
  }

  function grow(): void {
    const isShort = queue.tasks() > starting && starting < STARTS_AT_ONCE && count < maxEnvironments;
    if (isShort && !isStopped) start();
  }

  return {
    spec,
    async invoke(payload, caller = {}) {
      if (inFlight >= reservedConcurrency) throw new ThrottledError('Rate Exceeded.');
      const task: Task = {
        invocation: { requestId: randomUUID(), payload, ...caller },
        answer: Promise.withResolvers(),
      };
      inFlight += 1;
      queue.give(task);
      grow();
      return task.answer.promise;
    },
    async warmUp() {
      const ready = Promise.withResolvers<undefined>();
      start(ready);
      await ready.promise;
    },
    pids: () => [...running].flatMap(({ pid }) => pid ?? []),
    idle: queue.takers,
    async stop() {
      isStopped = true;
      await Promise.all([...running].map((environment) => environment.stop()));
      await Promise.all(lives);
      for (let task = queue.withdraw(); task; task = queue.withdraw())
        task.answer.resolve(faulty({ errorType: 'Stopped', errorMessage: 'Stopped' }));
    },
  };
}

function faulty(fault: Fault): Answer {
  return { contentType: 'application/json', body: Readable.from([]), fault: Promise.resolve(fault) };
}
