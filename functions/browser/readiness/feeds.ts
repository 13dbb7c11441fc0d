import type { Fact } from '../page/fact.ts';
import { APART_MS } from './open-request.ts';

/** How long a stream may be silent by whose data the page grows, or to which the page has sent something. */
const SILENT_MS = 2_200;
/** The same in all after the first message to a socket that has not made the page grow: it may only ping. */
const UNFED_MS = 4_500;
/** Less is a value that changes in its place. */
const LEAST_GROWTH = 3;
/** A page with less text may lack its content, though it does not say so. */
export const LITTLE = 300;

type Feed = {
  by: 'body' | 'socket' | 'stream';
  beganAt: number;
  isHeard: boolean;
  isFeeding: boolean;
  firstSentAt?: number;
  messageAt: number;
};

/** Streams of a page by which its content comes in parts, such as an answer that is being written. */
export type Feeds = {
  /** True if the fact ended a stream by which the page grew. */
  see: (fact: Fact) => boolean;
  /** The size has grown by so much since the last look. */
  sees: (growth: number, size: number) => void;
  isFeeding: (id: string) => boolean;
  /** How much longer the next part is waited for. */
  ms: () => number;
  /** A response comes in parts, which ends some time. */
  isWriting: () => boolean;
};

export function watchFeeds(now: () => number): Feeds {
  const feeds = new Map<string, Feed>();
  const see = feedNotes(feeds, now);
  let [grewAt, lastSize] = [-Infinity, 0];

  function msOf({ by, beganAt, isFeeding, firstSentAt, messageAt }: Feed): number {
    if (isFeeding) return SILENT_MS - (now() - Math.max(beganAt, grewAt));
    if (by !== 'socket' || firstSentAt === undefined || lastSize > LITTLE) return 0;
    return Math.min(SILENT_MS - (now() - messageAt), UNFED_MS - (now() - firstSentAt));
  }
  return {
    see(fact) {
      if (fact.what === 'committed') lastSize = 0;
      return see(fact);
    },
    sees(growth, size) {
      const isFirst = lastSize === 0;
      lastSize = size;
      if (growth > 0) grewAt = now();
      for (const feed of feeds.values()) {
        // Before the first look, a socket says hello.
        const isHello = isFirst && feed.by === 'socket';
        feed.isFeeding ||= feed.isHeard && growth >= LEAST_GROWTH && !isHello;
        feed.isHeard = false;
      }
    },
    isFeeding: (id) => feeds.get(id)?.isFeeding === true,
    ms: () => Math.max(0, ...feeds.values().map(msOf)),
    isWriting: () => feeds.values().some((feed) => feed.by === 'body' && feed.isFeeding && msOf(feed) > 0),
  };
}

/** Keeps what is open. */
function feedNotes(feeds: Map<string, Feed>, now: () => number): Feeds['see'] {
  function begin(id: string, by: Feed['by'], isFeeding: boolean) {
    const at = now();
    feeds.set(id, { by, beganAt: at, isHeard: false, isFeeding, messageAt: at });
  }
  function note(feed: Feed, fact: Fact) {
    feed.messageAt = now();
    if (fact.what === 'messageSent') feed.firstSentAt ??= feed.messageAt;
    else if (feed.by !== 'body' || feed.messageAt - feed.beganAt > APART_MS) feed.isHeard = true;
  }
  function end(id: string): boolean {
    const wasFeeding = feeds.get(id)?.isFeeding === true;
    feeds.delete(id);
    return wasFeeding;
  }
  return (fact) => {
    if (fact.what === 'committed') feeds.clear();
    else if (fact.what === 'streamed' && fact.by !== 'worker') begin(fact.id, fact.by, false);
    else if (fact.what === 'requested' && fact.isForParts) begin(fact.id, 'body', true);
    else if (fact.what === 'responded' && (feeds.get(fact.id)?.by ?? 'body') === 'body')
      begin(fact.id, 'body', fact.isInParts);
    else if (fact.what === 'received' || fact.what === 'messageReceived' || fact.what === 'messageSent') {
      const feed = feeds.get(fact.id);
      if (feed) note(feed, fact);
    } else if (fact.what === 'ended' || fact.what === 'failed' || fact.what === 'closed') return end(fact.id);
    return false;
  };
}
