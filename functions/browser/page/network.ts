import type { CDPSession, Protocol } from 'puppeteer-core';
import type { Tab } from '../tab.ts';

export type Pause = Protocol.Fetch.RequestPausedEvent;

/** What has happened in a page. `id` is that of a request; a document's loader has the id of its request. */
export type Fact =
  | Requested
  /** The head of a response is there. `wireBytes`: so far, headers included. */
  | { what: 'responded'; id: string; wireBytes: number }
  | { what: 'received'; id: string; bytes: number }
  | { what: 'ended'; id: string; wireBytes: number }
  | { what: 'failed'; id: string; error: string; isCanceled: boolean }
  | Committed
  /** The events of the main frame's document. It has `stopped` when it was cut off or stopped by a script, too. */
  | { what: 'parsed' | 'loaded' | 'stopped' }
  /** The main frame is about to go elsewhere, by meta refresh or script; or is so no more. */
  | { what: 'scheduled'; delaySeconds: number }
  | { what: 'unscheduled' }
  | { what: 'framed' }
  /** A worker, or a frame of another site, has a session of its own. Its id is that of the request for it, if any. */
  | { what: 'attached'; id: string; isWorker: boolean }
  | { what: 'detached'; id: string }
  /** A socket, an event stream or the port of a shared worker was opened. */
  | { what: 'streamed' };

export type Requested = {
  what: 'requested';
  id: string;
  url: string;
  /** The page does not wait for it itself: a ping, a prefetch, a stream that stays open. */
  isBackground: boolean;
  isPicture: boolean;
  /** For a document that the main frame goes to. */
  isMove: boolean;
  /** Led on by a redirect, under the same id. */
  isHop: boolean;
};

/** The main frame shows another document. */
export type Committed = {
  what: 'committed';
  id: string;
  url: string;
  isErrorPage: boolean;
  /** It was there before, and is shown once more without a request. */
  isRestored: boolean;
};

export type Network = {
  /** Calls back with every fact, in the order in which Chromium reports them. */
  on: (see: (fact: Fact) => void) => void;
  /** Has every pause answered: exactly one may. */
  onPause: (answer: (pause: Pause) => void) => void;
};

/** The only subscriber of what Chromium reports of a scrape's page, which it says in plain facts. */
export function openNetwork({ session: page, shared, mainFrame }: Tab): Network {
  const watchers: ((fact: Fact) => void)[] = [];
  const tell = (fact: Fact) => watchers.forEach((see) => see(fact));
  watchRequests(page, mainFrame, tell);
  watchFrames(page, mainFrame, tell);
  watchTargets(page, mainFrame, tell);
  watchTargets(shared, mainFrame, tell);
  return {
    on: (see) => void watchers.push(see),
    onPause: (answer) => void page.on('Fetch.requestPaused', answer),
  };
}

type Tell = (fact: Fact) => void;

/** Requests that are open for as long as the page is, or that it does not wait for itself. */
const BACKGROUND: readonly (string | undefined)[] = [
  'EventSource',
  'WebSocket',
  'Ping',
  'Manifest',
  'Prefetch',
];
const STREAMED = ['Network.webSocketCreated', 'Network.webSocketHandshakeResponseReceived'] as const;

function watchRequests(page: CDPSession, mainFrame: string, tell: Tell): void {
  page.on('Network.requestWillBeSent', (event) => {
    const { requestId: id, loaderId, frameId, type, redirectResponse } = event;
    // A prefetch by speculation rules has a loader of its own, but the frame does not go there.
    const isMove = frameId === mainFrame && id === loaderId && type === 'Document';
    const isHop = redirectResponse !== undefined;
    const { url, initialPriority } = event.request;
    // A prefetch goes by other types too, and a shared worker's script ends in a session that is not ours.
    const isBackground = BACKGROUND.includes(type) || initialPriority === 'VeryLow';
    const isPicture = type === 'Image';
    tell({ what: 'requested', id, url, isBackground, isPicture, isMove, isHop });
    const isShared = type === 'Script' && initialPriority === 'VeryLow';
    if (isShared || type === 'EventSource') tell({ what: 'streamed' });
  });
  page.on('Network.responseReceived', ({ requestId: id, response }) =>
    tell({ what: 'responded', id, wireBytes: response.encodedDataLength }),
  );
  page.on('Network.dataReceived', ({ requestId: id, dataLength: bytes }) =>
    tell({ what: 'received', id, bytes }),
  );
  page.on('Network.loadingFinished', ({ requestId: id, encodedDataLength: wireBytes }) =>
    tell({ what: 'ended', id, wireBytes }),
  );
  page.on('Network.loadingFailed', ({ requestId: id, errorText: error, canceled }) =>
    tell({ what: 'failed', id, error, isCanceled: canceled === true }),
  );
  for (const event of STREAMED) page.on(event, () => tell({ what: 'streamed' }));
}

function watchFrames(page: CDPSession, mainFrame: string, tell: Tell): void {
  page.on('Page.frameAttached', () => tell({ what: 'framed' }));
  page.on('Page.frameNavigated', ({ frame, type }) => {
    if (frame.id !== mainFrame) return;
    const { loaderId: id, url, unreachableUrl } = frame;
    const isRestored = type === 'BackForwardCacheRestore';
    tell({ what: 'committed', id, url, isErrorPage: unreachableUrl !== undefined, isRestored });
  });
  page.on('Page.domContentEventFired', () => tell({ what: 'parsed' }));
  page.on('Page.loadEventFired', () => tell({ what: 'loaded' }));
  page.on('Page.frameStoppedLoading', ({ frameId }) => {
    if (frameId === mainFrame) tell({ what: 'stopped' });
  });
  page.on('Page.frameScheduledNavigation', ({ frameId, delay }) => {
    if (frameId === mainFrame) tell({ what: 'scheduled', delaySeconds: delay });
  });
  page.on('Page.frameClearedScheduledNavigation', ({ frameId }) => {
    if (frameId === mainFrame) tell({ what: 'unscheduled' });
  });
}

/** Workers start workers, and each has requests of its own. */
function watchTargets(session: CDPSession, mainFrame: string, tell: Tell): void {
  const ids = new Map<string, string>();
  session.on('Target.attachedToTarget', ({ sessionId, targetInfo: { targetId: id, type } }) => {
    ids.set(sessionId, id);
    tell({ what: 'attached', id, isWorker: type.endsWith('worker') });
  });
  session.on('Target.detachedFromTarget', ({ sessionId }) =>
    tell({ what: 'detached', id: ids.get(sessionId) ?? '' }),
  );
  session.on('sessionattached', (child) => {
    watchRequests(child, mainFrame, tell);
    watchTargets(child, mainFrame, tell);
  });
}
