import type { ResponseHeaders } from '../../../shared/contract/scrape/response-headers.ts';

/** An event of the page. `id` is the request's id, which a document's loader shares. */
export type Fact =
  | Requested
  | Responded
  | Received
  | { what: 'ended'; id: string; at: number; wireBytes: number }
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
  /** The page's scripts cannot read its response. */
  | { what: 'opaque'; id: string }
  | Streamed
  /** A message went by a stream. Its connection ends like a request, or as a socket. */
  | { what: 'closed'; id: string }
  | Message;

/** \`data\` is encoded in base64 if it is binary. */
export type Message = { what: 'messageReceived' | 'messageSent'; id: string; data: string };

/** Methods of requests that send something. */
export const SENDING: readonly string[] = ['POST', 'PUT', 'PATCH'];

export type Responded = {
  what: 'responded';
  id: string;
  /** The page's time, in milliseconds. */
  at: number;
  /** Received so far, headers included. */
  wireBytes: number;
  /** The page is to come again later. */
  isNotYet: boolean;
  isError: boolean;
  /** By its status, it has nothing new. */
  isEmpty: boolean;
  /** Where, if the response says so. */
  later?: string | undefined;
  /** Such a body comes in parts, with pauses between them. */
  isInParts: boolean;
  /** It is a stream of events, which may begin with a greeting. */
  isOfEvents: boolean;
  /** Such a body shows nothing before its end. */
  isAtomic: boolean;
  /** Of its body, if it says so. */
  length?: number | undefined;
  /** Its head, if it is a document of a service worker, for which Chromium pauses no request. */
  served?: { url: string; status: number; headers: ResponseHeaders };
};

export type Received = { what: 'received'; id: string; bytes: number };

export type Streamed = {
  what: 'streamed';
  id: string;
  by: 'socket' | 'stream' | 'worker';
  /** Where it is opened to, the first time. */
  url?: string;
};

export type Requested = {
  what: 'requested';
  id: string;
  /** The page's time, in milliseconds. */
  at: number;
  url: string;
  /** The page does not wait for it: a ping, a prefetch, an open stream, or what it calls less important. */
  isBackground: boolean;
  isPicture: boolean;
  /** Chromium reads its body to the end, whatever the page does. */
  isRead: boolean;
  method: string;
  /** A digest of its body. */
  sends: string;
  /** It asks for a response that comes in parts. */
  isForParts: boolean;
  /** By its type, method and address, it asks for something to show. */
  isForContent: boolean;
  /** By the same, it asks for nothing, or only says something. */
  isReport: boolean;
  /** Its response shows nothing by itself. */
  isPassive: boolean;
  /** A frame within the document sends it. */
  isFramed: boolean;
  isNavigation: boolean;
  isRedirect: boolean;
  isOfWorker: boolean;
  isOfServiceWorker: boolean;
};

export type Committed = {
  what: 'committed';
  id: string;
  url: string;
  isErrorPage: boolean;
  isRestored: boolean;
};
