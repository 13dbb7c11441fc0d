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
import { continueTrace, MAX_INVOCATIONS, RecursionError } from './lineage.ts';

export type LambdaFunction = {
  spec: FunctionSpec;
  /**
   * Waits for a free environment. Throws ThrottledError above the function's reserved concurrency, and
   * RecursionError at the end of a chain of requests.
   */
  invoke: (payload: string | Buffer, caller?: Caller) => Promise<Answer>;
  warmUp: () => Promise<void>;
  pids: () => number[];
  idle: () => number;
  stop: () => Promise<void>;
};

type Caller = Pick<Invocation, 'tenantId' | 'clientContext'> & {
  /** Of the request, or of each message. */
  traceHeaders?: readonly string[];
};

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
    async invoke(payload, { traceHeaders = [], ...caller } = {}) {
      const requestId = randomUUID();
      const trace = continueTrace(spec.arn, traceId(requestId), traceHeaders);
      if (trace.invocations > MAX_INVOCATIONS && spec.recursiveLoop !== 'Allow')
        throw new RecursionError(`${spec.label} has been invoked ${MAX_INVOCATIONS} times in this chain.`);
      if (pool.inFlight >= reservedConcurrency) throw new ThrottledError('Rate Exceeded.');
      const task: Task = {
        invocation: { requestId, payload, traceHeader: trace.header, ...caller },
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

/** https://docs.aws.amazon.com/xray/latest/devguide/xray-api-sendingdata.html#xray-api-traceids */
function traceId(requestId: string): string {
  const seconds = Math.floor(Date.now() / 1_000).toString(16);
  return `1-${seconds}-${requestId.replaceAll('-', '').slice(0, 24)}`;
}
