import { prepareGuard, type Guard } from '../../../shared/egress/guard.ts';
import type { EgressPolicy } from '../../../shared/egress/decide.ts';
import type { Processes } from './chromium-flags.ts';
import { launchChromium, type Chromium, type LaunchOptions } from './launch-chromium.ts';

/** A thawed browser responds within two milliseconds or not at all. */
const ALIVE_WITHIN_MS = 500;

export type Isolate = { browser: Chromium; guard: Guard };

export type Isolates = {
  processes: Processes | undefined;
  /** The warm browser if it is alive, else a new one. The caller closes it. */
  take: () => Promise<Isolate>;
  /** Starts the next browser early. Never throws; false if Chromium did not start in time. */
  keepWarm: (timeoutMs?: number) => Promise<boolean>;
  [Symbol.asyncDispose]: () => Promise<void>;
};

type Options = {
  chromiumDir: string;
  policy: EgressPolicy;
  /** Undefined if Chromium does not start here: every scrape fails at once. */
  processes: Processes | undefined;
};

export function isolates({ chromiumDir, policy, processes }: Options): Isolates {
  let next: Promise<Isolate | undefined> = Promise.resolve(undefined);

  async function held(): Promise<Isolate | undefined> {
    const isolate = await next;
    next = Promise.resolve(undefined);
    return isolate;
  }
  async function alive(): Promise<Isolate | undefined> {
    const warm = await held();
    if (!warm || (await warm.browser.answers(ALIVE_WITHIN_MS))) return warm;
    await discard(warm);
    return undefined;
  }
  async function open(timeoutMs?: number): Promise<Isolate> {
    if (!processes) throw new Error('Chromium does not start here.');
    const limit = timeoutMs === undefined ? {} : { timeoutMs };
    return openIsolate(policy, { chromiumDir, processes, ...limit });
  }

  return {
    processes,
    async take() {
      const isolate = (await alive()) ?? (await open());
      isolate.guard.begin();
      return isolate;
    },
    async keepWarm(timeoutMs) {
      // A rejected request leaves the warm browser unused.
      if (await next) return true;
      next = open(timeoutMs).catch(() => undefined);
      return (await next) !== undefined;
    },
    async [Symbol.asyncDispose]() {
      const warm = await held();
      if (warm) await discard(warm);
    },
  };
}

/** Its guard drops every client until it begins. */
export async function openIsolate(
  policy: EgressPolicy,
  options: Omit<LaunchOptions, 'proxyUrl'>,
): Promise<Isolate> {
  const guard = await prepareGuard(policy, true);
  try {
    return { browser: await launchChromium({ ...options, proxyUrl: guard.url }), guard };
  } catch (error) {
    await guard.close();
    throw error;
  }
}

/** Kills the browser. Throws if it survives. */
export async function discard({ browser, guard }: Isolate): Promise<void> {
  await Promise.all([browser.kill(), guard.close()]);
}

export async function dispose({ browser, guard }: Isolate): Promise<void> {
  await browser.close();
  await guard.close();
}
