import type { CDPSession, Protocol } from 'puppeteer-core';
import type { Fact, Requested, Responded } from './fact.ts';
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

/** Requests that stay open, or that the page does not wait for. */
const BACKGROUND: readonly (string | undefined)[] = [
  'EventSource',
  'WebSocket',
  'Ping',
  'Manifest',
  'Prefetch',
];
const OPENED = ['Network.webSocketCreated', 'Network.webSocketHandshakeResponseReceived'] as const;
const MESSAGES = ['Network.webSocketFrameReceived', 'Network.eventSourceMessageReceived'] as const;
const IN_PARTS =
  /^(multipart\/|application\/(wasm|grpc|x-ndjson|ndjson|jsonl|x-jsonlines|json-seq|stream\+json)|text\/(event-stream|x-component))/i;
/** Accepted, Too Early, Too Many Requests, Service Unavailable. */
const NOT_YET: readonly number[] = [202, 425, 429, 503];

function watchRequests(page: CDPSession, mainFrame: string, emit: Emit): void {
  page.on('Network.requestWillBeSent', (event) => {
    emit(requested(event, mainFrame));
    const { requestId: id, type, request } = event;
    if (type === 'EventSource') emit({ what: 'streamed', id, by: 'stream' });
    // A shared worker's script, which ends in another session.
    if (type === 'Script' && request.initialPriority === 'VeryLow')
      emit({ what: 'streamed', id, by: 'worker' });
  });
  page.on('Network.responseReceived', (event) => emit(responded(event)));
  page.on('Network.dataReceived', ({ requestId: id, dataLength: bytes }) =>
    emit({ what: 'received', id, bytes }),
  );
  page.on('Network.loadingFinished', ({ requestId: id, encodedDataLength: wireBytes }) =>
    emit({ what: 'ended', id, wireBytes }),
  );
  page.on('Network.loadingFailed', ({ requestId: id, errorText: error, canceled }) =>
    emit({ what: 'failed', id, error, isCanceled: canceled === true }),
  );
  for (const event of OPENED)
    page.on(event, ({ requestId: id }) => emit({ what: 'streamed', id, by: 'socket' }));
  for (const event of MESSAGES) page.on(event, ({ requestId: id }) => emit({ what: 'messageReceived', id }));
  page.on('Network.webSocketFrameSent', ({ requestId: id }) => emit({ what: 'messageSent', id }));
  page.on('Network.webSocketClosed', ({ requestId: id }) => emit({ what: 'closed', id }));
}

function requested(event: Protocol.Network.RequestWillBeSentEvent, mainFrame: string): Requested {
  const { requestId: id, loaderId, frameId, type, request } = event;
  const { url, method, initialPriority } = request;
  // Other request types may be prefetches too.
  // A style sheet for another medium, such as print, may become one for this when it has loaded.
  const isLast = initialPriority === 'VeryLow' && type !== 'Stylesheet';
  return {
    what: 'requested',
    id,
    url,
    isBackground: BACKGROUND.includes(type) || isLast,
    isPicture: type === 'Image',
    isRead: type === 'XHR',
    isForParts: asksForParts(request),
    isGet: method === 'GET',
    isScript: type === 'Script',
    // A prefetch by speculation rules has its own loader but navigates no frame.
    isNavigation: frameId === mainFrame && id === loaderId && type === 'Document',
    isRedirect: event.redirectResponse !== undefined,
    isOfWorker: false,
  };
}

const ASKS_TO_STREAM = /"stream"\s*:\s*true/;
/** Chromium reports no head before the first part. */
function asksForParts({ headers, postDataEntries = [] }: Protocol.Network.Request): boolean {
  const types = Object.entries(headers).filter(([name]) => /^(accept|content-type)$/i.test(name));
  const said = postDataEntries.map(({ bytes = '' }) => Buffer.from(bytes, 'base64').toString('latin1'));
  return types.some(([, type]) => IN_PARTS.test(type)) || said.some((text) => ASKS_TO_STREAM.test(text));
}

function responded({ requestId: id, response }: Protocol.Network.ResponseReceivedEvent): Responded {
  const { url, encodedDataLength: wireBytes, status, mimeType, headers } = response;
  const has = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const length = has.has('content-encoding') ? undefined : has.get('content-length');
  const isNotYet = NOT_YET.includes(status) || has.has('retry-after');
  const place = has.get('location') ?? (has.has('retry-after') ? url : undefined);
  const later = isNotYet && place !== undefined ? URL.parse(place, url)?.href : undefined;
  return {
    what: 'responded',
    id,
    wireBytes,
    isNotYet,
    ...(later !== undefined && { later }),
    isInParts: IN_PARTS.test(mimeType),
    ...(length !== undefined && { length: Number(length) }),
  };
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
  const targets = new Map<string, { id: string; isWorker: boolean }>();
  const inFlight = new Map<CDPSession, Set<string>>();
  session.on('Target.attachedToTarget', ({ sessionId, targetInfo: { targetId: id, type } }) => {
    const target = { id, isWorker: type.endsWith('worker') };
    targets.set(sessionId, target);
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
      const isOfWorker = targets.get(child.id())?.isWorker === true;
      emit(fact.what === 'requested' ? { ...fact, isOfWorker } : fact);
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
