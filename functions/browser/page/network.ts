import type { CDPSession, Protocol } from 'puppeteer-core';
import type { Tab } from './tab.ts';

export type Pause = Protocol.Fetch.RequestPausedEvent;

/** An event of the page. `id` is the request's id, which a document's loader shares. */
export type Fact =
  | Requested
  /** `wireBytes`: received so far, headers included. */
  | { what: 'responded'; id: string; wireBytes: number }
  | { what: 'received'; id: string; bytes: number }
  | { what: 'ended'; id: string; wireBytes: number }
  | { what: 'failed'; id: string; error: string; isCanceled: boolean }
  | Committed
  /** Events of the main frame's document. `stopped` also follows a cut-off body or window.stop(). */
  | { what: 'parsed' | 'loaded' | 'stopped' }
  /** A navigation by meta refresh or script was scheduled or cancelled. */
  | { what: 'scheduled'; delaySeconds: number }
  | { what: 'unscheduled' }
  | { what: 'frameAttached' }
  /** A worker, or a frame of another site, has its own session. The id is its request's, if it has one. */
  | { what: 'attached'; id: string; isWorker: boolean }
  | { what: 'detached'; id: string }
  /** A stream or shared worker was opened; a message came by one. */
  | { what: 'streamed' | 'messageReceived' };

export type Requested = {
  what: 'requested';
  id: string;
  url: string;
  /** The page does not wait for it: a ping, a prefetch or an open stream. */
  isBackground: boolean;
  isPicture: boolean;
  /** Chromium reads its body to the end, whatever the page does. */
  isRead: boolean;
  isNavigation: boolean;
  isRedirect: boolean;
};

export type Committed = {
  what: 'committed';
  id: string;
  url: string;
  isErrorPage: boolean;
  isRestored: boolean;
};

export type Network = {
  on: (see: (fact: Fact) => void) => void;
  onPause: (answer: (pause: Pause) => void) => void;
};

/** The only subscriber to Chromium's events for a page; turns them into facts. */
export function openNetwork({ session: page, shared, mainFrame }: Tab): Network {
  const watchers: ((fact: Fact) => void)[] = [];
  const emit = (fact: Fact) => watchers.forEach((see) => see(fact));
  watchRequests(page, mainFrame, emit);
  watchFrames(page, mainFrame, emit);
  watchTargets(page, mainFrame, emit);
  watchTargets(shared, mainFrame, emit);
  return {
    on: (see) => void watchers.push(see),
    onPause: (answer) => void page.on('Fetch.requestPaused', answer),
  };
}

type Emit = (fact: Fact) => void;

/** Requests that stay open, or that the page does not wait for. */
const BACKGROUND: readonly (string | undefined)[] = [
  'EventSource',
  'WebSocket',
  'Ping',
  'Manifest',
  'Prefetch',
];
const STREAMED = ['Network.webSocketCreated', 'Network.webSocketHandshakeResponseReceived'] as const;
const MESSAGES = ['Network.webSocketFrameReceived', 'Network.eventSourceMessageReceived'] as const;

function watchRequests(page: CDPSession, mainFrame: string, emit: Emit): void {
  page.on('Network.requestWillBeSent', (event) => {
    const { requestId: id, loaderId, frameId, type, redirectResponse } = event;
    // A prefetch by speculation rules has its own loader but navigates no frame.
    const isNavigation = frameId === mainFrame && id === loaderId && type === 'Document';
    const isRedirect = redirectResponse !== undefined;
    const { url, initialPriority } = event.request;
    // Other request types may be prefetches too, and a shared worker's script ends in another session.
    // A style sheet for another medium, such as print, may become one for this when it has loaded.
    const isLast = initialPriority === 'VeryLow' && type !== 'Stylesheet';
    const isBackground = BACKGROUND.includes(type) || isLast;
    const isPicture = type === 'Image';
    const isRead = type === 'XHR';
    emit({ what: 'requested', id, url, isBackground, isPicture, isRead, isNavigation, isRedirect });
    const isShared = type === 'Script' && initialPriority === 'VeryLow';
    if (isShared || type === 'EventSource') emit({ what: 'streamed' });
  });
  page.on('Network.responseReceived', ({ requestId: id, response }) =>
    emit({ what: 'responded', id, wireBytes: response.encodedDataLength }),
  );
  page.on('Network.dataReceived', ({ requestId: id, dataLength: bytes }) =>
    emit({ what: 'received', id, bytes }),
  );
  page.on('Network.loadingFinished', ({ requestId: id, encodedDataLength: wireBytes }) =>
    emit({ what: 'ended', id, wireBytes }),
  );
  page.on('Network.loadingFailed', ({ requestId: id, errorText: error, canceled }) =>
    emit({ what: 'failed', id, error, isCanceled: canceled === true }),
  );
  for (const event of STREAMED) page.on(event, () => emit({ what: 'streamed' }));
  for (const event of MESSAGES) page.on(event, () => emit({ what: 'messageReceived' }));
}

function watchFrames(page: CDPSession, mainFrame: string, emit: Emit): void {
  page.on('Page.frameAttached', () => emit({ what: 'frameAttached' }));
  page.on('Page.frameNavigated', ({ frame, type }) => {
    if (frame.id !== mainFrame) return;
    const { loaderId: id, url, unreachableUrl } = frame;
    const isRestored = type === 'BackForwardCacheRestore';
    emit({ what: 'committed', id, url, isErrorPage: unreachableUrl !== undefined, isRestored });
  });
  page.on('Page.domContentEventFired', () => emit({ what: 'parsed' }));
  page.on('Page.loadEventFired', () => emit({ what: 'loaded' }));
  page.on('Page.frameStoppedLoading', ({ frameId }) => {
    if (frameId === mainFrame) emit({ what: 'stopped' });
  });
  page.on('Page.frameScheduledNavigation', ({ frameId, delay }) => {
    if (frameId === mainFrame) emit({ what: 'scheduled', delaySeconds: delay });
  });
  page.on('Page.frameClearedScheduledNavigation', ({ frameId }) => {
    if (frameId === mainFrame) emit({ what: 'unscheduled' });
  });
}

/** Workers start workers, and each has its own requests. */
function watchTargets(session: CDPSession, mainFrame: string, emit: Emit): void {
  const ids = new Map<string, string>();
  const inFlight = new Map<CDPSession, Set<string>>();
  session.on('Target.attachedToTarget', ({ sessionId, targetInfo: { targetId: id, type } }) => {
    ids.set(sessionId, id);
    emit({ what: 'attached', id, isWorker: type.endsWith('worker') });
  });
  session.on('Target.detachedFromTarget', ({ sessionId }) =>
    emit({ what: 'detached', id: ids.get(sessionId) ?? '' }),
  );
  session.on('sessionattached', (child) => {
    const open = new Set<string>();
    inFlight.set(child, open);
    watchRequests(child, mainFrame, (fact) => {
      if (fact.what === 'requested') open.add(fact.id);
      if (fact.what === 'ended' || fact.what === 'failed') open.delete(fact.id);
      emit(fact);
    });
    watchTargets(child, mainFrame, emit);
  });
  // A worker that is terminated reports no end of its requests.
  session.on('sessiondetached', (child) => {
    for (const id of inFlight.get(child) ?? [])
      emit({ what: 'failed', id, error: 'net::ERR_ABORTED', isCanceled: true });
    inFlight.delete(child);
  });
}
