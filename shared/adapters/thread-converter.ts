import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Conversion, Converted } from '../contract/scrape/output.ts';
import { AppError } from '../errors.ts';
import type { Obstacle } from '../contract/scrape/not-convertible.ts';
import type { ThreadAnswer } from '../output/thread.ts';
import type { Convert } from '../ports/scrape.ts';
import { fairTurns } from '../time/fair-turns.ts';
import { firstAborted } from '../time/first-aborted.ts';

type Options = {
  /** The file of the thread. */
  script: URL;
  timeoutMs?: number;
  /** Of the thread's heap, in megabytes. */
  memoryMb?: number;
};

const TIMEOUT_MS = 5_000;
/** Beside a page of 50 MB and its text, in a function of 1 GB. */
const MEMORY_MB = 400;
/** The second one is opened when pages of two organizations meet, which they do in a worker alone. */
const THREADS = 2;
/** Of an organization, in each environment. Five hundred pages of the usual size. */
const [BUDGET_MS, WINDOW_MS] = [10_000, 60_000];

/**
 * Converts one page of an organization at a time, in a thread that ends when a page takes too long or too
 * much memory. Organizations that have used much time share one thread.
 */
export function threadConverter({ script, timeoutMs = TIMEOUT_MS, memoryMb = MEMORY_MB }: Options): Convert {
  const takeTurn = fairTurns({ places: THREADS, budgetMs: BUDGET_MS, windowMs: WINDOW_MS });
  const threads = threadPool(script, memoryMb);
  let busy = 0;
  const convert = async (page: Conversion, signal: AbortSignal): Promise<Converted> => {
    const thread = await threads.take(signal);
    using limit = ownTime(timeoutMs, () => 1 / busy, signal);
    const outcome = await answerOf(thread, page, limit.signal).catch((error: unknown) => {
      threads.end(thread);
      throw error;
    });
    if (outcome === 'ended' || outcome === 'memory') {
      threads.end(thread);
      signal.throwIfAborted();
      throw notConvertible(outcome === 'ended' ? 'time' : 'memory', `${timeoutMs / 1_000} s`);
    }
    threads.giveBack(thread);
    return convertedOf(outcome);
  };
  return (page, { orgId, signal }) =>
    takeTurn(
      orgId,
      async () => {
        busy += 1;
        return convert(page, signal).finally(() => (busy -= 1));
      },
      signal,
    );
}

/** Threads that live, each with a page or idle. */
function threadPool(script: URL, memoryMb: number) {
  const threads = new Map<Worker, 'idle' | 'busy'>();
  const open = (): Worker => {
    // Nothing of the function's environment is there for a page to find.
    const opened = new Worker(script, { env: {}, resourceLimits: { maxOldGenerationSizeMb: memoryMb } });
    const forget = () => void threads.delete(opened);
    // It may run out of memory while it is ended or has no page, when nobody waits for it.
    opened.on('error', forget).once('exit', forget);
    opened.unref();
    return opened;
  };
  const end = (thread: Worker) => {
    threads.delete(thread);
    void thread.terminate();
  };
  return {
    /** A thread that is ready: what it takes to load its code is no page's time. */
    take: async (signal: AbortSignal): Promise<Worker> => {
      const [idle] = [...threads].find(([, state]) => state === 'idle') ?? [];
      const thread = idle ?? open();
      threads.set(thread, 'busy');
      if (idle) return idle;
      await once(thread, 'message', { signal }).catch((error: unknown) => {
        end(thread);
        signal.throwIfAborted();
        throw error;
      });
      return thread;
    },
    /** It may have ended since. */
    giveBack: (thread: Worker) => void (threads.has(thread) && threads.set(thread, 'idle')),
    end,
  };
}

const TICK_MS = 50;
/** Between two looks. What is longer was the machine's: the page's answer may wait to be read. */
const MAX_TICK_MS = 4 * TICK_MS;

/**
 * Aborts after so much of a page's own time: beside another one it has half of the processor. Where other
 * work keeps the machine busy, time passes in which the page is not read, so what was computed counts.
 */
function ownTime(ms: number, share: () => number, other: AbortSignal): Disposable & { signal: AbortSignal } {
  const over = new AbortController();
  let [spent, at, computed] = [0, performance.now(), processorMs()];
  const timer = setInterval(() => {
    spent += Math.min(performance.now() - at, processorMs() - computed, MAX_TICK_MS) * share();
    [at, computed] = [performance.now(), processorMs()];
    if (spent >= ms) over.abort();
  }, TICK_MS);
  return {
    signal: firstAborted(over.signal, other),
    [Symbol.dispose]: () => {
      clearInterval(timer);
      over.abort();
    },
  };
}

/** Of this process with all of its threads. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

async function answerOf(thread: Worker, page: unknown, signal: AbortSignal) {
  try {
    thread.postMessage(page);
    const [answer] = (await once(thread, 'message', { signal })) as [ThreadAnswer];
    return answer;
  } catch (error) {
    if (signal.aborted) return 'ended';
    if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')
      return 'memory';
    throw error;
  }
}

function convertedOf(answer: ThreadAnswer): Converted {
  if (answer.outcome === 'converted') return answer.converted;
  if (answer.outcome === 'refused') throw notConvertible(answer.obstacle, answer.detail);
  throw new Error(answer.message);
}

const REASONS: Readonly<Record<Obstacle, (detail: string) => string>> = {
  type: (type) =>
    `This page is ${type}, which cannot be converted to this format. Request it with format=html.`,
  time: (limit) => `Reading this page took longer than ${limit}. Request it with format=html.`,
  memory: () => 'This page is too large to be read. Request it with format=html.',
  depth: () => 'The elements of this page are nested too deeply to be read. Request it with format=html.',
  rule: (rule) => `The rule '${rule}' cannot be evaluated.`,
  required: (rule) => `This page has no value for the required rule '${rule}'.`,
};

export function notConvertible(obstacle: Obstacle, detail: string): AppError {
  return new AppError('not_convertible', {
    message: REASONS[obstacle](detail),
    fields: { reason: obstacle },
  });
}
