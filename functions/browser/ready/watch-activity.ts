import type { Network, Requested } from '../page/network.ts';
import { watchConditions } from './watch-conditions.ts';
import { watchGrowth } from './watch-growth.ts';

/** A page that is about to go elsewhere in so short a time is waited for. */
const REFRESH_FOLLOWED_S = 2;
/** Requests that are open for as long as the page is, or that it does not wait for itself. */
const BACKGROUND: readonly (string | undefined)[] = [
  'EventSource',
  'WebSocket',
  'Ping',
  'Manifest',
  'Prefetch',
];

/** What goes on in a page, from the browser's own signals. */
export type Activity = {
  /** The load event of the present document has fired, or never will. */
  isLoaded: () => boolean;
  /** The present document has been read to its end. */
  isParsed: () => boolean;
  /** No request is in flight, and no move to another document. */
  isIdle: () => boolean;
  /** Another document for the main frame has been asked for, and is not there yet. */
  isMoving: () => boolean;
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
  const inFlight = new Set<string>();
  const { changed, until } = watchConditions();
  let moving: string | undefined;
  let loading = '';
  let isRefreshing = false;
  let isLoaded = false;
  let isParsed = false;
  let idleAt = now();
  let documents = 0;
  let requests = 0;

  function requested({ id, type, isMove }: Requested) {
    if (BACKGROUND.includes(type)) return;
    requests += 1;
    if (isMove) moving = id;
    inFlight.add(id);
  }
  function finished(id: string) {
    if (moving === id) moving = undefined;
    if (inFlight.delete(id) && inFlight.size === 0) idleAt = now();
  }
  function committed(id: string) {
    documents += 1;
    isLoaded = false;
    isParsed = false;
    isRefreshing = false;
    // What the last document still waited for is nobody's business any more.
    loading = id;
    const isOpen = inFlight.has(loading);
    inFlight.clear();
    if (isOpen) inFlight.add(loading);
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
    // A worker's script ends in the worker's own session.
    else if (fact.what === 'attached' && fact.parent === 'page') finished(fact.id);
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
    isIdle: () => inFlight.size === 0 && !isRefreshing,
    isMoving: () => moving !== undefined || isRefreshing,
    idleMs: () => now() - idleAt,
    count: () => documents + requests,
    documents: () => documents,
    overgrown: watchGrowth(network),
    until,
  };
}
