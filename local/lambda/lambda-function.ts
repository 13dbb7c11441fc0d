import { randomUUID } from 'node:crypto';
import type { FunctionSpec } from './function-spec.ts';
import {
  addEnvironment,
  faulty,
  type FunctionOptions,
  growSoon,
  openPool,
  type Task,
} from './environment-pool.ts';
import type { Answer, Invocation } from './invocation.ts';

export type LambdaFunction = {
  spec: FunctionSpec;
  /** Waits for a free environment. Throws ThrottledError above the function's reserved concurrency. */
  invoke: (payload: string | Buffer, caller?: Caller) => Promise<Answer>;
  warmUp: () => Promise<void>;
  pids: () => number[];
  idle: () => number;
  stop: () => Promise<void>;
};

type Caller = Pick<Invocation, 'tenantId' | 'clientContext'>;

/** Lambda's 429: the function's concurrency is used up. */
export class ThrottledError extends Error {
  override name = 'TooManyRequestsException';
}

/** Runs a function in as many execution environments as its load requires. */
export function runFunction(options: FunctionOptions): LambdaFunction {
  const { spec, reservedConcurrency } = options;
  const pool = openPool(options);
  const { running, lives, queue } = pool;
  return {
    spec,
    async invoke(payload, caller = {}) {
      if (pool.inFlight >= reservedConcurrency) throw new ThrottledError('Rate Exceeded.');
      const task: Task = {
        invocation: { requestId: randomUUID(), payload, ...caller },
        answer: Promise.withResolvers(),
      };
      pool.inFlight += 1;
      queue.give(task);
      growSoon(pool);
      return task.answer.promise;
    },
    async warmUp() {
      const ready = Promise.withResolvers<undefined>();
      addEnvironment(pool, ready);
      await ready.promise;
    },
    pids: () => [...running].flatMap(({ pid }) => pid ?? []),
    idle: queue.takers,
    async stop() {
      pool.isStopped = true;
      await Promise.all([...running].map((environment) => environment.stop()));
      await Promise.all(lives);
      for (let task = queue.withdraw(); task; task = queue.withdraw())
        task.answer.resolve(faulty({ errorType: 'Stopped', errorMessage: 'Stopped' }));
    },
  };
}
