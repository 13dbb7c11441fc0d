import type { Shows } from '../page/document-reader.ts';
import type { Fact, Streamed } from '../page/fact.ts';
import { type Patience, SHOWN_MS } from './patience.ts';

/** How long a stream may be silent before its first message, before the next, and in all. */
const SILENCE_MS: Readonly<Record<Shows, { first: number; next: number; all: number }>> = {
  showing: { first: 600, next: 400, all: SHOWN_MS },
  unknown: { first: 1_000, next: 600, all: 3_000 },
  // What a person still waits for may come by it.
  waiting: { first: Infinity, next: Infinity, all: Infinity },
};

type Stream = { by: Streamed['by']; openedAt: number; askedAt: number; answeredAt: number };

export type Streams = {
  see: (fact: Fact) => void;
  /** How much longer a message may be waited for. */
  ms: () => number;
  /** What a page that waits may get a message by. */
  open: () => 'socket' | 'stream' | undefined;
  count: () => number;
};

/** Sockets, event streams and shared workers, whose other ends have time of their own. */
export function openStreams(now: () => number, patience: Pick<Patience, 'shows' | 'feedMs'>): Streams {
  const streams = new Map<string, Stream>();

  function opened({ id, by }: Streamed) {
    const at = now();
    streams.set(id, { by, openedAt: streams.get(id)?.openedAt ?? at, askedAt: at, answeredAt: -Infinity });
  }
  function msOf({ by, openedAt, askedAt, answeredAt }: Stream): number {
    const shows = patience.shows();
    const { first, next, all } = SILENCE_MS[by === 'worker' && shows === 'waiting' ? 'unknown' : shows];
    const silent = answeredAt < askedAt ? first - (now() - askedAt) : next - (now() - answeredAt);
    return Math.min(silent, all - (now() - openedAt));
  }
  return {
    see(fact) {
      if (fact.what === 'streamed') opened(fact);
      else if (fact.what === 'committed') streams.clear();
      else if (fact.what === 'closed' || fact.what === 'ended' || fact.what === 'failed') {
        streams.delete(fact.id);
      } else if (fact.what === 'messageReceived' || fact.what === 'messageSent') {
        const stream = streams.get(fact.id);
        if (stream) stream[fact.what === 'messageSent' ? 'askedAt' : 'answeredAt'] = now();
      }
    },
    ms: () => Math.max(patience.feedMs(), ...streams.values().map(msOf)),
    open: () => {
      const kinds = [...streams.values()].map(({ by }) => by);
      return kinds.includes('socket') ? 'socket' : kinds.includes('stream') ? 'stream' : undefined;
    },
    count: () => streams.size,
  };
}
