import type { CDPSession, Protocol } from 'puppeteer-core';
import type { Fact } from './fact.ts';
import { isOpaque, requested, responded } from './request-facts.ts';
import type { Tab } from './tab.ts';

export type Pause = Protocol.Fetch.RequestPausedEvent;

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

function watchRequests(page: CDPSession, mainFrame: string, emit: Emit): void {
  page.on('Network.requestWillBeSent', (event) => {
    emit(requested(event, mainFrame));
    const { requestId: id, type, request } = event;
    if (type === 'EventSource') emit({ what: 'streamed', id, by: 'stream', url: request.url });
    // A shared worker's script, which ends in another session.
    if (type === 'Script' && request.initialPriority === 'VeryLow')
      emit({ what: 'streamed', id, by: 'worker' });
  });
  page.on('Network.requestWillBeSentExtraInfo', (event) => {
    if (isOpaque(event)) emit({ what: 'opaque', id: event.requestId });
  });
  page.on('Network.responseReceived', (event) => emit(responded(event)));
  page.on('Network.dataReceived', ({ requestId: id, dataLength: bytes }) =>
    emit({ what: 'received', id, bytes }),
  );
  page.on('Network.loadingFinished', ({ requestId: id, timestamp, encodedDataLength: wireBytes }) =>
    emit({ what: 'ended', id, at: timestamp * 1_000, wireBytes }),
  );
  page.on('Network.loadingFailed', ({ requestId: id, errorText: error, canceled }) =>
    emit({ what: 'failed', id, error, isCanceled: canceled === true }),
  );
  page.on('Network.webSocketCreated', ({ requestId: id, url }) =>
    emit({ what: 'streamed', id, by: 'socket', url }),
  );
  page.on('Network.webSocketHandshakeResponseReceived', ({ requestId: id }) =>
    emit({ what: 'streamed', id, by: 'socket' }),
  );
  page.on('Network.webSocketFrameReceived', ({ requestId: id, response: { payloadData: data } }) =>
    emit({ what: 'messageReceived', id, data }),
  );
  page.on('Network.eventSourceMessageReceived', ({ requestId: id, data }) =>
    emit({ what: 'messageReceived', id, data }),
  );
  page.on('Network.webSocketFrameSent', ({ requestId: id, response: { payloadData: data } }) =>
    emit({ what: 'messageSent', id, data }),
  );
  page.on('Network.webSocketClosed', ({ requestId: id }) => emit({ what: 'closed', id }));
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
  const targets = new Map<string, { id: string; isWorker: boolean; type: string }>();
  const inFlight = new Map<CDPSession, Set<string>>();
  session.on('Target.attachedToTarget', ({ sessionId, targetInfo: { targetId: id, type } }) => {
    const target = { id, isWorker: type.endsWith('worker') };
    targets.set(sessionId, { ...target, type });
    emit({ what: 'attached', ...target });
  });
  session.on('Target.detachedFromTarget', ({ sessionId }) =>
    emit({ what: 'detached', id: targets.get(sessionId)?.id ?? '' }),
  );
  session.on('sessionattached', (child) => {
    const open = new Set<string>();
    inFlight.set(child, open);
    watchRequests(child, mainFrame, (fact) => {
      if (fact.what === 'requested' || fact.what === 'streamed') open.add(fact.id);
      if (fact.what === 'ended' || fact.what === 'failed' || fact.what === 'closed') open.delete(fact.id);
      const { isWorker: isOfWorker = false, type } = targets.get(child.id()) ?? {};
      const isOfServiceWorker = type === 'service_worker';
      emit(fact.what === 'requested' ? { ...fact, isOfWorker, isOfServiceWorker } : fact);
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
