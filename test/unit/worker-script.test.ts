import { createContext, runInContext } from 'node:vm';
import { expect, test } from 'vitest';
import { workerScript } from '../../functions/browser/page/watch-workers.ts';

type Timers = {
  set: (ms: unknown) => number;
  repeat: (ms: number) => number;
  clear: (handle: number) => void;
};

/** A worker whose timers fire on demand, and what the script says of it. */
function startWorker() {
  const queue = new Map<number, () => void>();
  let handles = 0;
  const add = (callback: () => void) => {
    queue.set(++handles, callback);
    return handles;
  };
  const remove = (handle: number) => void queue.delete(handle);
  const timers = { setTimeout: add, setInterval: add, clearTimeout: remove, clearInterval: remove };
  const worker: object = {
    // As in Chromium, a worker has its timers only once this has been looked up.
    get WorkerGlobalScope() {
      Object.assign(worker, timers);
      return Object;
    },
  };
  const scope = createContext(worker);
  const ask = runInContext(workerScript, scope) as () => Promise<boolean>;
  const own = runInContext(
    '({ set: (ms) => setTimeout(() => undefined, ms), repeat: (ms) => setInterval(() => undefined, ms), clear: (handle) => clearTimeout(handle) })',
    scope,
  ) as Timers;
  const tick = (handle: number) => queue.get(handle)?.();
  const fire = (handle: number) => {
    tick(handle);
    queue.delete(handle);
  };
  return {
    ...own,
    fire,
    tick,
    isWaiting: () => {
      const answer = ask();
      // The question is a task of its own.
      fire(handles);
      return answer;
    },
  };
}

test('a worker waits for a timer until it has fired or is cleared', async () => {
  const worker = startWorker();
  expect(await worker.isWaiting()).toBe(false);
  const [first, second] = [worker.set(1_000), worker.set('1000')];
  worker.fire(first);
  expect(await worker.isWaiting()).toBe(true);
  worker.clear(second);
  expect(await worker.isWaiting()).toBe(false);
});

test('a worker waits for an interval again and again, for 2.5 seconds in all', async () => {
  const worker = startWorker();
  const handle = worker.repeat(1_200);
  worker.tick(handle);
  expect(await worker.isWaiting()).toBe(true);
  worker.tick(handle);
  expect(await worker.isWaiting()).toBe(false);
});

test('a worker does not wait for a timer of more than 2.5 seconds, nor for many that add up to more', async () => {
  const worker = startWorker();
  worker.set(2_501);
  expect(await worker.isWaiting()).toBe(false);
  for (let n = 1; n <= 5; n += 1) {
    const handle = worker.set(500);
    expect(await worker.isWaiting()).toBe(true);
    worker.fire(handle);
  }
  worker.set(500);
  expect(await worker.isWaiting()).toBe(false);
});

test('a worker that sets timers of no time for ever does not wait for ever', async () => {
  const worker = startWorker();
  for (let n = 0; n < 700; n += 1) worker.fire(worker.set(undefined));
  worker.set(undefined);
  expect(await worker.isWaiting()).toBe(false);
});

test('a frame has no such script', () => {
  expect(runInContext(workerScript, createContext({}))).toBeUndefined();
});
