import type { RenderWaiting } from '../../../shared/contract/scrape/page.ts';
import type { Shows } from '../page/document-reader.ts';
import type { Network } from '../page/network.ts';
import { NO_DOCUMENT, type Progress, proceed } from './document-progress.ts';
import { type ExpectedWork, expectedWork } from './expected-work.ts';
import { type OpenRequests, openRequests } from './open-requests.ts';
import { openPatience, type Patience } from './patience.ts';
import { type Polls, watchPolls } from './polls.ts';
import { openStreams, type Streams } from './streams.ts';

export type Activity = {
  isLoaded: () => boolean;
  isParsed: () => boolean;
  /** Nobody sends what is missing of a document that shows its content or not. */
  isAbandoned: (shows: Shows) => boolean;
  isIdle: () => boolean;
  /** A navigation is in progress or about to start. */
  isNavigationDue: () => boolean;
  isFetching: () => boolean;
  isNavigating: () => boolean;
  /** How much longer work timed by the wall clock may follow, `stillMs` after the last script. */
  expectedMs: (stillMs: number) => number;
  /** The same of workers and streams alone. */
  liveMs: (stillMs: number) => number;
  /** Workers or streams are open, which the page's clock does not govern. */
  isLive: () => boolean;
  isUnanswered: () => boolean;
  /** The same of a request for content to the document's own server. */
  isContentMissing: () => boolean;
  /** Some response is missing, for which Chromium stops the page's clock. */
  isHeadMissing: () => boolean;
  isPolling: () => boolean;
  answers: Polls['answers'];
  /** What a page that still waits has open; a `timer` if it shows progress, and nothing else is. */
  opens: () => RenderWaiting | undefined;
  /** What a page that shows its content still lacks. */
  lacks: () => RenderWaiting | undefined;
  patience: Patience;
  /** A response comes in parts, which ends some time. */
  isWriting: () => boolean;
  /** Bodies that may be whole though nobody has said so. */
  inDoubt: () => string[];
  judge: (id: string, isWhole: boolean) => void;
  /** Counts the first response of each URL, so that polling is no news. */
  respondedUrls: () => number;
  silentMs: () => number;
  idleMs: () => number;
  count: () => number;
  documents: () => number;
  /** How often in a row the document was followed by one with its URL. */
  reloads: () => number;
  overLimit: AbortSignal;
  /** Waits for a condition, checked after each event. Rejects when the signal aborts. */
  until: (condition: () => boolean, signal: AbortSignal) => Promise<void>;
};

export function watchActivity(network: Pick<Network, 'on'>, now = () => performance.now()): Activity {
  const { changed, until } = watchConditions();
  const [polls, expected, streams] = [watchPolls(now), expectedWork(now), openStreams(now)];
  const patience = openPatience({ now, streams, isOwed: polls.isOwed });
  const requests = openRequests(changed, { patience, streams, now });
  const { see: note, bodyMs, isFetching, ...requested } = requests;
  let [progress, idleAt] = [NO_DOCUMENT, now()];
  const isIdle = () => !progress.isRefreshing && !isFetching();
  const liveMs = (stillMs: number) =>
    Math.max(streams.ms(patience.shows()), bodyMs(), patience.isOver() ? 0 : expected.workerMs(stillMs));

  network.on((fact) => {
    const hasEnded = note(fact, progress.loading);
    progress = proceed(progress, fact);
    expected.see(fact, hasEnded);
    for (const { see } of [polls, patience]) see(fact);
    if (hasEnded && isIdle()) idleAt = now();
    changed();
  });
  return {
    ...progressOf(() => progress),
    ...requested,
    isFetching,
    isAbandoned: (shows) => requests.isAbandoned(shows, progress.isParsed),
    isIdle,
    expectedMs: (stillMs) =>
      isFetching() ? Infinity : Math.max(liveMs(stillMs), expected.scriptMs(stillMs)),
    liveMs,
    isLive: () => expected.workers() > 0 || streams.areOpen(),
    isPolling: () => isPolling(polls, patience),
    answers: polls.answers,
    ...missing(() => progress.isLoaded, { polls, requests, streams, expected, patience }),
    patience,
    isWriting: streams.isWriting,
    idleMs: () => now() - idleAt,
    count: () => progress.documents + requests.count(),
    overLimit: watchGrowth(network),
    until,
  };
}

const isPolling = (polls: Polls, { shows, mayLack }: Patience) =>
  shows() === 'waiting' ? polls.areGoingOn() : polls.areBrisk() && mayLack();

type Open = { polls: Polls; requests: OpenRequests; streams: Streams; expected: ExpectedWork };

function missing(isLoaded: () => boolean, open: Open & { patience: Patience }) {
  const timer = () => (open.patience.isProgressing() ? 'timer' : undefined);
  return {
    lacks: () => (isLoaded() ? (lackOf(open) ?? timer()) : 'load'),
    opens: () => (isLoaded() ? (openOf(open) ?? timer()) : 'load'),
  };
}

function openOf({ polls, requests, streams, expected }: Open): RenderWaiting | undefined {
  const stream = streams.open();
  if (stream === 'socket') return stream;
  if (polls.areGoingOn()) return 'poll';
  if (requests.isFetching()) return requests.bodyMs() > 0 ? 'stream' : 'request';
  return stream ?? (expected.workers() > 0 ? 'worker' : undefined);
}

function lackOf({
  polls,
  requests,
  streams,
  patience,
}: Omit<Open, 'expected'> & { patience: Patience }): RenderWaiting | undefined {
  if (streams.isWriting() || streams.areUnfinished()) return 'stream';
  if (isPolling(polls, patience)) return 'poll';
  if (requests.isContentMissing() || (!patience.isOver() && requests.isUnanswered())) return 'request';
  return streams.awaits();
}

const progressOf = (progress: () => Progress) => ({
  isLoaded: () => progress().isLoaded,
  isParsed: () => progress().isParsed,
  isNavigationDue: () => progress().moving !== undefined || progress().isRefreshing,
  isNavigating: () => progress().moving !== undefined,
  documents: () => progress().documents,
  reloads: () => progress().reloads,
});

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
