import type { Network } from '../page/network.ts';
import { NO_DOCUMENT, proceed } from './document-progress.ts';
import { expectedWork } from './expected-work.ts';
import { openRequests } from './open-requests.ts';

export type Activity = {
  isLoaded: () => boolean;
  isParsed: () => boolean;
  isIdle: () => boolean;
  /** A navigation is in progress or about to start. */
  isNavigationDue: () => boolean;
  isFetching: () => boolean;
  isNavigating: () => boolean;
  /** How much longer work timed by the wall clock may follow, `stillMs` after the last script. */
  expectedMs: (stillMs: number) => number;
  /** Workers or streams are open, which the page's clock does not govern. */
  isLive: () => boolean;
  isUnanswered: () => boolean;
  /** Counts the first response of each URL, so that polling is no news. */
  respondedUrls: () => number;
  idleMs: () => number;
  count: () => number;
  documents: () => number;
  overLimit: AbortSignal;
  /** Waits for a condition, checked after each event. Rejects when the signal aborts. */
  until: (condition: () => boolean, signal: AbortSignal) => Promise<void>;
};

export function watchActivity(network: Pick<Network, 'on'>, now = () => performance.now()): Activity {
  const { changed, until } = watchConditions();
  const { see, count, isFetching, isUnanswered, respondedUrls } = openRequests(changed, now);
  const expected = expectedWork(now);
  let progress = NO_DOCUMENT;
  let idleAt = now();
  const isIdle = () => !progress.isRefreshing && !isFetching();

  network.on((fact) => {
    const hasEnded = see(fact, progress.loading);
    progress = proceed(progress, fact);
    expected.see(fact, hasEnded);
    if (hasEnded && isIdle()) idleAt = now();
    changed();
  });
  return {
    isLoaded: () => progress.isLoaded,
    isParsed: () => progress.isParsed,
    isIdle,
    isNavigationDue: () => progress.moving !== undefined || progress.isRefreshing,
    isFetching,
    isNavigating: () => progress.moving !== undefined,
    expectedMs: (stillMs) => (isFetching() ? Infinity : expected.ms(stillMs)),
    isLive: expected.isLive,
    isUnanswered,
    respondedUrls,
    idleMs: () => now() - idleAt,
    count: () => progress.documents + count(),
    documents: () => progress.documents,
    overLimit: watchGrowth(network),
    until,
  };
}

type Conditions = {
  changed: () => void;
  until: (condition: () => boolean, signal: AbortSignal) => Promise<void>;
};

export function watchConditions(): Conditions {
  const watchers = new Set<() => void>();
  return {
    changed: () => watchers.forEach((look) => look()),
    until: (condition, signal) => {
      const { promise, resolve, reject } = Promise.withResolvers<undefined>();
      const look = () => (condition() ? resolve(undefined) : undefined);
      const abort = () => reject(signal.reason as Error);
      watchers.add(look);
      signal.addEventListener('abort', abort, { once: true });
      if (signal.aborted) abort();
      look();
      return promise.finally(() => {
        watchers.delete(look);
        signal.removeEventListener('abort', abort);
      });
    },
  };
}

/** Above any normal page, below what makes the machine swap. */
const MAX_FRAMES = 500;
/** Workers and frames of other sites: each is a thread or process. */
const MAX_TARGETS = 100;

export function watchGrowth(network: Pick<Network, 'on'>): AbortSignal {
  const overLimit = new AbortController();
  let frames = 0;
  let targets = 0;

  network.on(({ what }) => {
    if (what === 'frameAttached') frames += 1;
    if (what === 'attached') targets += 1;
    if (frames > MAX_FRAMES || targets > MAX_TARGETS) overLimit.abort();
  });
  return overLimit.signal;
}
