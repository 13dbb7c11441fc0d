import { openGuard, type Guard } from '../../../shared/egress/guard.ts';
import type { EgressPolicy } from '../../../shared/egress/decide.ts';
import { launchChromium, type Chromium } from './launch-chromium.ts';

/** A thawed browser answers in a millisecond or two, or not at all. */
const ALIVE_WITHIN_MS = 500;

/** A browser and its way out, good for one scrape. */
type Isolate = { browser: Chromium; guard: Guard };

export type Isolates = {
  /** The one that waits if it is still alive and does not load pictures, else a new one. It is the caller's to close. */
  take: (arePicturesLoaded?: boolean) => Promise<Isolate>;
  /** Starts the next one, so that it waits when the next scrape comes. Never throws: then there is none waiting. */
  keepWarm: () => Promise<void>;
  /** Ends the one that waits. */
  [Symbol.asyncDispose]: () => Promise<void>;
};

export function isolates(chromiumDir: string, policy: EgressPolicy): Isolates {
  let next: Promise<Isolate | undefined> = Promise.resolve(undefined);

  async function held(): Promise<Isolate | undefined> {
    const isolate = await next;
    next = Promise.resolve(undefined);
    return isolate;
  }
  return {
    async take(arePicturesLoaded = false) {
      const waiting = await held();
      if (!waiting) return openIsolate(chromiumDir, policy, arePicturesLoaded);
      if (!arePicturesLoaded && (await waiting.browser.answers(ALIVE_WITHIN_MS))) return waiting;
      await discard(waiting);
      return openIsolate(chromiumDir, policy, arePicturesLoaded);
    },
    async keepWarm() {
      // A request that was refused has taken none.
      if (await next) return;
      next = openIsolate(chromiumDir, policy, false).catch(() => undefined);
      await next;
    },
    async [Symbol.asyncDispose]() {
      const waiting = await held();
      if (waiting) await discard(waiting);
    },
  };
}

async function openIsolate(
  chromiumDir: string,
  policy: EgressPolicy,
  arePicturesLoaded: boolean,
): Promise<Isolate> {
  const guard = await openGuard(policy);
  try {
    return { browser: await launchChromium(chromiumDir, guard.url, arePicturesLoaded), guard };
  } catch (error) {
    await guard.close();
    throw error;
  }
}

/** Ends a browser that something is wrong with, at once. Throws if it cannot be ended. */
export async function discard({ browser, guard }: Isolate): Promise<void> {
  await Promise.all([browser.kill(), guard.close()]);
}

/** Ends a browser that has done its work. */
export async function dispose({ browser, guard }: Isolate): Promise<void> {
  await browser.close();
  await guard.close();
}
