import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { startEnvironment, type ExecutionEnvironment } from './environment.ts';
import type { FunctionSpec } from './function-spec.ts';
import type { Answer, Fault, Invocation } from './invocation.ts';
import { openTaskQueue, type TaskQueue } from './task-queue.ts';

export type FunctionOptions = {
  spec: FunctionSpec;
  /** More invocations at once are throttled. */
  reservedConcurrency: number;
  /** More invocations at once wait for a free process. */
  maxEnvironments: number;
  temporary: string;
  log: (line: string) => void;
};

export type Task = { invocation: Invocation; answer: PromiseWithResolvers<Answer> };

/** The environments of a function, and the invocations that wait for one. */
export type Pool = {
  options: FunctionOptions;
  running: Set<ExecutionEnvironment>;
  lives: Set<Promise<void>>;
  queue: TaskQueue<Task>;
  /** Environments that live, that were ever started, and that are starting. */
  count: number;
  started: number;
  starting: number;
  inFlight: number;
  isStopped: boolean;
};

/** A start keeps a core busy, so more at once would delay the first. */
const STARTS_AT_ONCE = availableParallelism();

export const openPool = (options: FunctionOptions): Pool => ({
  options,
  running: new Set(),
  lives: new Set(),
  queue: openTaskQueue(),
  count: 0,
  started: 0,
  starting: 0,
  inFlight: 0,
  isStopped: false,
});

export function addEnvironment(pool: Pool, ready?: PromiseWithResolvers<undefined>): void {
  pool.count += 1;
  pool.started += 1;
  pool.starting += 1;
  const life = live(pool, `${pool.options.spec.label}-${pool.started}`, ready).finally(() => {
    pool.lives.delete(life);
    pool.count -= 1;
    grow(pool);
  });
  pool.lives.add(life);
}

export function grow(pool: Pool): void {
  const { queue, starting, count, options, isStopped } = pool;
  const isShort = queue.tasks() > starting && starting < STARTS_AT_ONCE && count < options.maxEnvironments;
  if (isShort && !isStopped) addEnvironment(pool);
}

/** A start takes several times as long, and most calls free their environment within this time. */
const PATIENCE_MS = 100;

/** Starts the first environment at once, and another one if none becomes free within moments. */
export function growSoon(pool: Pool): void {
  if (pool.count === 0) grow(pool);
  else if (pool.queue.tasks() > 0) setTimeout(() => grow(pool), PATIENCE_MS);
}

/** Runs one environment, which takes tasks until it ends. */
async function live(pool: Pool, name: string, ready?: PromiseWithResolvers<undefined>): Promise<void> {
  const { spec, log, temporary } = pool.options;
  const environment = await startEnvironment({ spec, log, temporary: join(temporary, name) });
  pool.running.add(environment);
  if (pool.isStopped) void environment.stop();
  const hasStarted = await environment.waits();
  pool.starting -= 1;
  if (hasStarted) ready?.resolve(undefined);
  else refuse(pool, environment.initFault(), ready);
  await takeTasks(pool, environment);
  pool.running.delete(environment);
}

async function takeTasks(pool: Pool, environment: ExecutionEnvironment): Promise<void> {
  const taker = pool.queue.taker();
  void environment.exited.then(taker.leave);
  while (await environment.waits()) {
    const task = await taker.take();
    const answer = task && environment.invoke(task.invocation);
    if (!answer) {
      if (task) pool.queue.giveBack(task);
      await environment.exited;
      return;
    }
    task.answer.resolve(answer);
    grow(pool);
    await environment.waits();
    pool.inFlight -= 1;
  }
}

/** A failed start fails one invocation, as on Lambda. */
function refuse(pool: Pool, fault: Fault | undefined, ready?: PromiseWithResolvers<undefined>): void {
  const cause = fault ?? { errorType: 'Runtime.Unknown', errorMessage: 'The function did not start.' };
  const { label } = pool.options.spec;
  ready?.reject(new Error(`${label} did not start: ${cause.errorType}: ${cause.errorMessage}`));
  const task = pool.queue.withdraw();
  if (!task) return;
  task.answer.resolve(faulty(cause));
  pool.inFlight -= 1;
}

export function faulty(fault: Fault): Answer {
  return { contentType: 'application/json', body: Readable.from([]), fault: Promise.resolve(fault) };
}
