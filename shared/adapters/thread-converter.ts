import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Converted } from '../contract/output.ts';
import { AppError } from '../errors.ts';
import type { Obstacle } from '../output/not-convertible.ts';
import type { ThreadAnswer } from '../output/thread.ts';
import type { Convert } from '../page-ports.ts';
import { deadline } from '../time/deadline.ts';
import { inTurn } from '../time/in-turn.ts';

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

/** Converts one page at a time, in a thread that ends when a page takes too long or too much memory. */
export function threadConverter({ script, timeoutMs = TIMEOUT_MS, memoryMb = MEMORY_MB }: Options): Convert {
  const oneAtATime = inTurn();
  let thread: Worker | undefined;
  const open = (): Worker => {
    // Nothing of the function's environment is there for a page to find.
    const opened = new Worker(script, { env: {}, resourceLimits: { maxOldGenerationSizeMb: memoryMb } });
    const forget = () => {
      if (thread === opened) thread = undefined;
    };
    // It may run out of memory while it is ended or has no page, when nobody waits for it.
    opened.on('error', forget).once('exit', forget);
    opened.unref();
    return opened;
  };
  return (page, signal) =>
    oneAtATime(async () => {
      const taken = (thread ??= open());
      using limit = deadline(timeoutMs, signal);
      const outcome = await answerOf(taken, page, limit.signal);
      if (outcome === 'ended' || outcome === 'memory') {
        void taken.terminate();
        thread = undefined;
        signal.throwIfAborted();
        throw notConvertible(outcome === 'ended' ? 'time' : 'memory', `${timeoutMs / 1_000} s`);
      }
      return convertedOf(outcome);
    }, signal);
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
