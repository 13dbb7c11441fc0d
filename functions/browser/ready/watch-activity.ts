import type { Network, Requested } from '../page/network.ts';
import { watchConditions } from './watch-conditions.ts';
import { watchGrowth } from './watch-growth.ts';

/** A page that is about to go elsewhere in so short a time is waited for. */
const REFRESH_FOLLOWED_S = 2;
/** A response that brings nothing for so long is one whose body the page does not read: Chromium reports no end of it. */
const UNREAD_MS = 400;
/** What comes by the wall clock and no event announces: what a script waits for, a worker, the other end of a new stream. */
const GRACE_MS = { script: 30, worker: 500, stream: 1_000 };

/** What goes on in a page, from the browser's own signals. */
export type Activity = {
  /** The load event of the present document has fired, or never will. */
  isLoaded: () => boolean;
  /** The present document has been read to its end. */
  isParsed: () => boolean;
  /** No request is in flight, and no move to another document. */
  isIdle: () => boolean;
  /** Another document for the main frame is on its way, or will be at once. */
  isMoving: () => boolean;
  /** A request is in flight. */
  isFetching: () => boolean;
  /** Another document for the main frame is on its way. */
  isNavigating: () => boolean;
  /** For how much longer something may come by the wall clock, after so many milliseconds without a script. */
  expectedMs: (stillMs: number) => number;
  /** An address has been asked for that has not responded even once. */
  isUnanswered: () => boolean;
  /** Counts the first responses of each URL: polling the same one again brings no news. */
  news: () => number;
  /** For how long nothing has been in flight. */
  idleMs: () => number;
  /** Counts documents and requests: the same number twice means that none came in between. */
  count: () => number;
  documents: () => number;
  /** Aborts when the page has had more frames or workers than any honest one. */
  overgrown: AbortSignal;
  /** Waits for a condition, which is looked at whenever something has happened. Rejects when the signal aborts. */
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

  // Silence is no event: conditions are looked at once more when it has lasted.
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
    // Pages count their visitors by pictures of ever new addresses.
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
    // What the last document still waited for no longer matters.
    loading = id;
    const request = inFlight.get(loading);
    inFlight.clear();
    workers.clear();
    streamedAt = -Infinity;
    if (request) inFlight.set(loading, request);
    if (moving === loading) moving = undefined;
  }
  function loaded() {
    // The blank page that the browser starts with.
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
      // Cut off, or stopped by a script, it gets no more events.
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
