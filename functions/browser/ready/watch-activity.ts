import type { Tab } from '../tab.ts';
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

export function watchActivity({ session: page, mainFrame }: Tab): Activity {
  const inFlight = new Set<string>();
  const { changed, until } = watchConditions();
  let moving: string | undefined;
  let loading = '';
  let isRefreshing = false;
  let isLoaded = false;
  let isParsed = false;
  let idleAt = performance.now();
  let documents = 0;
  let requests = 0;

  const isIdle = () => inFlight.size === 0 && !isRefreshing;

  function finished(id: string) {
    if (moving === id) moving = undefined;
    if (inFlight.delete(id) && inFlight.size === 0) idleAt = performance.now();
    changed();
  }
  page.on('Network.requestWillBeSent', ({ requestId, loaderId, frameId, type }) => {
    if (BACKGROUND.includes(type)) return;
    requests += 1;
    if (requestId === loaderId && frameId === mainFrame) moving = requestId;
    inFlight.add(requestId);
  });
  page.on('Network.loadingFinished', ({ requestId }) => finished(requestId));
  page.on('Network.loadingFailed', ({ requestId }) => finished(requestId));

  // A worker's script ends in the worker's own session; the target bears the id of the request.
  page.on('Target.attachedToTarget', ({ targetInfo }) => finished(targetInfo.targetId));
  page.on('Page.frameNavigated', ({ frame }) => {
    if (frame.id !== mainFrame) return;
    documents += 1;
    isLoaded = false;
    isParsed = false;
    isRefreshing = false;
    // What the last document still waited for is nobody's business any more.
    loading = frame.loaderId;
    const isOpen = inFlight.has(loading);
    inFlight.clear();
    if (isOpen) inFlight.add(loading);
    if (moving === loading) moving = undefined;
    changed();
  });
  page.on('Page.domContentEventFired', () => {
    isParsed = true;
    changed();
  });
  const stopped = () => {
    if (documents === 0) return;
    isParsed = true;
    isLoaded = true;
    changed();
  };
  page.on('Page.loadEventFired', stopped);
  // Cut off, or stopped by a script, it gets no more events.
  page.on('Page.frameStoppedLoading', ({ frameId }) => {
    if (frameId !== mainFrame) return;
    finished(loading);
    stopped();
  });
  page.on('Page.frameScheduledNavigation', ({ frameId, delay }) => {
    if (frameId === mainFrame && delay <= REFRESH_FOLLOWED_S) isRefreshing = true;
  });
  page.on('Page.frameClearedScheduledNavigation', ({ frameId }) => {
    if (frameId === mainFrame) isRefreshing = false;
    changed();
  });
  return {
    isLoaded: () => isLoaded,
    isParsed: () => isParsed,
    isIdle,
    isMoving: () => moving !== undefined || isRefreshing,
    idleMs: () => performance.now() - idleAt,
    count: () => documents + requests,
    documents: () => documents,
    overgrown: watchGrowth(page),
    until,
  };
}
