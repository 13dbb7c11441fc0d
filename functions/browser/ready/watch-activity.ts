import type { Network, Requested } from '../page/network.ts';
import { watchConditions } from './watch-conditions.ts';
import { watchGrowth } from './watch-growth.ts';

/** A scheduled navigation this near is waited for. */
const REFRESH_FOLLOWED_S = 2;
/** Chromium reports no end of a body that the page does not read, so a silent response counts as ended. */
const UNREAD_MS = 400;
/** Work timed by the wall clock that no event announces: a script's wait, a worker, a stream's other end. */
const GRACE_MS = { script: 30, worker: 500, stream: 1_000 };

export type Activity = {
  isLoaded: () => boolean;
  isParsed: () => boolean;
  isIdle: () => boolean;
  /** A navigation is in progress or about to start. */
  isMoving: () => boolean;
  isFetching: () => boolean;
  isNavigating: () => boolean;
  /** How much longer work timed by the wall clock may follow, `stillMs` after the last script. */
  expectedMs: (stillMs: number) => number;
  isUnanswered: () => boolean;
  /** Counts the first response of each URL, so that polling is no news. */
  news: () => number;
  idleMs: () => number;
  count: () => number;
  documents: () => number;
  overgrown: AbortSignal;
  /** Waits for a condition, checked after each event. Rejects when the signal aborts. */
  until: (condition: () => boolean, signal: AbortSignal) => Promise<void>;
};

export function watchActivity(network: Pick<Network, 'on'>, now = () => performance.now()): Activity {
  const inFlight = new Map<string, { url: string; isPicture: boolean; heardAt?: number }>();
  const known = new Set<string>();
  const workers = new Set<string>();
  let workedAt = -Infinity;
  let streamedAt = -Infinity;
  const { changed, until } = watchConditions();
  let moving: string | undefined;
  let loading = '';
  let isRefreshing = false;
  let isLoaded = false;
  let isParsed = false;
  let idleAt = now();
  let documents = 0;
  let requests = 0;

  // Silence fires no event, so conditions are checked again after it.
  const silence = setTimeout(changed, UNREAD_MS).unref();

  const isOpen = ({ heardAt }: { heardAt?: number }) => heardAt === undefined || now() - heardAt < UNREAD_MS;
  const isFetching = () => [...inFlight.values()].some(isOpen);
  const isIdle = () => !isRefreshing && !isFetching();

  function requested({ id, url, isBackground, isPicture, isMove }: Requested) {
    if (isBackground) return;
    requests += 1;
    if (isMove) moving = id;
    inFlight.set(id, { url, isPicture });
  }
  function heard(id: string) {
    const request = inFlight.get(id);
    if (request) request.heardAt = now();
    silence.refresh();
  }
  function finished(id: string) {
    if (moving === id) moving = undefined;
    const request = inFlight.get(id);
    if (!request) return;
    // Tracking pixels use ever new URLs.
    if (!request.isPicture) known.add(request.url);
    workedAt = now();
    inFlight.delete(id);
    if (isIdle()) idleAt = now();
  }
  function committed(id: string) {
    documents += 1;
    isLoaded = false;
    isParsed = false;
    isRefreshing = false;
    // The previous document's requests no longer matter.
    loading = id;
    const request = inFlight.get(loading);
    inFlight.clear();
    workers.clear();
    streamedAt = -Infinity;
    if (request) inFlight.set(loading, request);
    if (moving === loading) moving = undefined;
  }
  function loaded() {
    // The browser's initial blank page.
    if (documents === 0) return;
    isParsed = true;
    isLoaded = true;
  }
  network.on((fact) => {
    if (fact.what === 'requested') requested(fact);
    else if (fact.what === 'ended' || fact.what === 'failed') finished(fact.id);
    else if (fact.what === 'responded' || fact.what === 'received') heard(fact.id);
    else if (fact.what === 'streamed') streamedAt = now();
    else if (fact.what === 'attached') {
      // A worker's script ends in the worker's own session.
      finished(fact.id);
      if (fact.isWorker) workers.add(fact.id);
      workedAt = now();
    } else if (fact.what === 'detached') workers.delete(fact.id);
    else if (fact.what === 'committed') committed(fact.id);
    else if (fact.what === 'parsed') isParsed = true;
    else if (fact.what === 'loaded') loaded();
    else if (fact.what === 'scheduled') isRefreshing ||= fact.delaySeconds <= REFRESH_FOLLOWED_S;
    else if (fact.what === 'unscheduled') isRefreshing = false;
    else if (fact.what === 'stopped') {
      // A document that was cut off or stopped gets no more events.
      finished(loading);
      loaded();
    }
    changed();
  });
  return {
    isLoaded: () => isLoaded,
    isParsed: () => isParsed,
    isIdle,
    isFetching,
    isNavigating: () => moving !== undefined,
    expectedMs: (stillMs) =>
      isFetching()
        ? Infinity
        : Math.max(
            0,
            GRACE_MS.script - stillMs,
            workers.size > 0 ? GRACE_MS.worker - Math.min(stillMs, now() - workedAt) : 0,
            GRACE_MS.stream - (now() - streamedAt),
          ),
    isUnanswered: () =>
      [...inFlight.values()].some(({ url, heardAt }) => heardAt === undefined && !known.has(url)),
    news: () => known.size,
    isMoving: () => moving !== undefined || isRefreshing,
    idleMs: () => now() - idleAt,
    count: () => documents + requests,
    documents: () => documents,
    overgrown: watchGrowth(network),
    until,
  };
}
