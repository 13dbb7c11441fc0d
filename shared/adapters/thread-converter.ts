import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Conversion, Converted } from '../contract/scrape/output.ts';
import { AppError } from '../errors.ts';
import type { Obstacle } from '../contract/scrape/not-convertible.ts';
import type { ThreadAnswer } from '../output/thread.ts';
import type { Convert } from '../ports/scrape.ts';
import { fairTurns } from '../time/fair-turns.ts';
import { MAX_GROWTH_BYTES, ownTime } from './own-time.ts';

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
    const own: Limit = (maxGrowth) => ownTime({ ms: timeoutMs, maxGrowth }, () => 1 / busy, signal);
    const outcome = await answerOf(thread, page, own).catch((error: unknown) => {
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

type Answer = Exclude<ThreadAnswer, { outcome: 'loaded' }> | 'ended' | 'memory';
type Limit = (maxGrowth: number) => ReturnType<typeof ownTime>;

/** What came of a page. The time in which its thread loads more code is not the page's. */
async function answerOf(thread: Worker, page: unknown, own: Limit): Promise<Answer> {
  const first = await nextAnswer(thread, own(Infinity), () => thread.postMessage(page));
  if (!isLoaded(first)) return first;
  const second = await nextAnswer(thread, own(MAX_GROWTH_BYTES));
  if (isLoaded(second)) throw new Error('A thread has loaded its code twice');
  return second;
}

const isLoaded = (answer: ThreadAnswer | Answer): answer is { outcome: 'loaded' } =>
  typeof answer === 'object' && answer.outcome === 'loaded';

async function nextAnswer(
  thread: Worker,
  own: ReturnType<Limit>,
  ask = () => {},
): Promise<ThreadAnswer | Answer> {
  using limit = own;
  const { signal } = limit;
  try {
    const answered = once(thread, 'message', { signal });
    ask();
    const [answer] = (await answered) as [ThreadAnswer];
    return answer;
  } catch (error) {
    if (signal.aborted) return limit.isTooLarge() ? 'memory' : 'ended';
    if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')
      return 'memory';
    throw error;
  }
}

function convertedOf(answer: Exclude<Answer, string>): Converted {
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
  encrypted: (kind) => `This ${kind} file is encrypted, so it cannot be read. Request it with format=html.`,
  broken: (kind) => `This ${kind} file is damaged, so it cannot be read. Request it with format=html.`,
  pages: (what) =>
    `This document has ${what}. Choose pages with document.pages, or allow more with document.max_pages.`,
  scanned: (pages) =>
    `Pages ${pages} of this document are pictures without text. Request it with format=html.`,
};

export function notConvertible(obstacle: Obstacle, detail: string): AppError {
  if (obstacle === 'scanned') return new AppError('needs_ocr', { message: REASONS.scanned(detail) });
  return new AppError('not_convertible', {
    message: REASONS[obstacle](detail),
    fields: { reason: obstacle },
  });
}
