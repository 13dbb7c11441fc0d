import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { startEnvironment, type ExecutionEnvironment, type FunctionSpec } from './environment.ts';
import { openHandOver } from './hand-over.ts';
import type { Answer, Fault, Invocation } from './invocation.ts';

export type LambdaFunction = {
  spec: FunctionSpec;
  /** Waits for a free environment. Throws ThrottledError above the concurrency that is reserved for the function. */
  invoke: (payload: string | Buffer, caller?: Caller) => Promise<Answer>;
  /** Starts a first environment; throws what kept it from starting. */
  warmUp: () => Promise<void>;
  /** Process ids of its environments. */
  pids: () => number[];
  /** How many of them wait for an invocation. */
  idle: () => number;
  stop: () => Promise<void>;
};

type Caller = Pick<Invocation, 'tenantId' | 'clientContext'>;

type FunctionOptions = {
  spec: FunctionSpec;
  /** Invocations at once; more are throttled. */
  reservedConcurrency: number;
  /** Processes at once; more invocations than that wait their turn. */
  maxEnvironments: number;
  /** Folder for the temporary folders of its environments. */
  temporary: string;
  log: (line: string) => void;
};

/** Lambda's 429: more invocations at once than the function may have. */
export class ThrottledError extends Error {
  override name = 'TooManyRequestsException';
}

/** A start keeps a core busy: with more of them at once the first would be ready no sooner. */
const STARTS_AT_ONCE = availableParallelism();

type Task = { invocation: Invocation; answer: PromiseWithResolvers<Answer> };

/** Runs a function in as many execution environments as its load asks for. */
export function runFunction(options: FunctionOptions): LambdaFunction {
  const { spec, reservedConcurrency, maxEnvironments, temporary, log } = options;
  const running = new Set<ExecutionEnvironment>();
  const lives = new Set<Promise<void>>();
  const queue = openHandOver<Task>();
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

  /** The life of one environment: it takes tasks until it is gone. */
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

  /** An environment that could not start fails one invocation, as it would on Lambda. */
  function refuse(fault: Fault | undefined, ready?: PromiseWithResolvers<undefined>): void {
    const cause = fault ?? { errorType: 'Runtime.Unknown', errorMessage: 'It did not start.' };
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
