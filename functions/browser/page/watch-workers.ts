import { setTimeout } from 'node:timers/promises';
import type { CDPSession } from 'puppeteer-core';
import { pageScript } from './page-script.ts';

/** How long an idle worker may take to say so. A busy worker does not answer. */
const TIMEOUT_MS = 16;
/** After this, a silent worker waits for another thread, or its thread's time shows that it is busy. */
const SILENT_MS = 1_500;

/** Milliseconds of a worker's timers, one after another, that are waited for: some workers only tick. */
const MAX_TIMERS_MS = 2_500;
/** Runs in a worker before its own script. */
export const workerScript = `${pageScript('worker-timers')}.watchTimers(${MAX_TIMERS_MS})`;

/** The workers of a page, which its clock does not govern and whose timers no event reports. */
export type Workers = {
  /** Before it runs. Does nothing if the session is a frame's. */
  watch: (session: CDPSession) => Promise<void>;
  /** Whether one of them computes, or waits for a timer. */
  areBusy: () => Promise<boolean>;
};

type Worker = {
  session: CDPSession;
  pending: string;
  asked?: { answer: Promise<void>; at: number } | undefined;
  isBusy: boolean;
};

export function watchWorkers(): Workers {
  let workers: Worker[] = [];
  return {
    async watch(session) {
      const { result } = await session.send('Runtime.evaluate', { expression: workerScript });
      if (result.objectId) workers.push({ session, pending: result.objectId, isBusy: false });
    },
    async areBusy() {
      workers = workers.filter(({ session }) => !session.detached);
      if (workers.length === 0) return false;
      const answers = workers.map(
        (worker) => (worker.asked ??= { answer: ask(worker), at: performance.now() }).answer,
      );
      await Promise.race([Promise.all(answers), setTimeout(TIMEOUT_MS)]);
      return workers.some(({ asked, isBusy }) =>
        asked === undefined ? isBusy : performance.now() - asked.at < SILENT_MS,
      );
    },
  };
}

async function ask(worker: Worker): Promise<void> {
  const { session, pending: objectId } = worker;
  const functionDeclaration = 'function () { return this(); }';
  try {
    const call = { objectId, functionDeclaration, awaitPromise: true, returnByValue: true };
    worker.isBusy = (await session.send('Runtime.callFunctionOn', call)).result.value === true;
  } catch {
    // It has ended.
    worker.isBusy = false;
  }
  worker.asked = undefined;
}
