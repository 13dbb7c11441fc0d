import type { Message, Streamed } from '../page/fact.ts';
import { saysHeartbeat, shapeOf } from './heartbeats.ts';

/** Of messages and parts since the last look: repeats differ from earlier ones in numbers alone. */
type Heard = 'nothing' | 'repeats' | 'news';

/** What comes in parts, at its server's own time. */
export type Stream = {
  by: Streamed['by'] | 'body';
  /** Opened to another site than the document's. */
  isForeign: boolean;
  /** The other end has taken it. */
  isOpen: boolean;
  openedAt: number;
  /** When it was opened again, or the page sent the last message that is no heartbeat; when one came. */
  askedAt: number;
  answeredAt: number;
  /** When the page sent the first message that the other end has answered by now. */
  talksSince?: number;
  /** The page's last message, unless it is answered. */
  asks: 'nothing' | 'something' | 'a heartbeat';
  /** A heartbeat came last. */
  isIdle: boolean;
  shapes: ReadonlySet<string>;
  heard: Heard;
  /** A body that comes in parts, as its type says. */
  isInParts: boolean;
  isOfEvents: boolean;
  /** The page grows by it, from this time on. */
  isFeeding: boolean;
  feedsAt: number;
  /** Looks at which it had. */
  grown: number;
  /** Looks in a row at which something had come by which the page has not grown. */
  barren: number;
  /** Bytes of a body that are missing, and that have come since the last look. */
  left: number;
  heardBytes: number;
};

export const opened = (by: Stream['by'], at: number): Stream => ({
  by,
  isForeign: false,
  isOpen: false,
  openedAt: at,
  askedAt: at,
  answeredAt: -Infinity,
  asks: 'nothing',
  isIdle: false,
  shapes: new Set(),
  heard: 'nothing',
  isInParts: false,
  isOfEvents: false,
  isFeeding: false,
  feedsAt: at,
  grown: 0,
  barren: 0,
  left: Infinity,
  heardBytes: 0,
});

const MAX_SHAPES = 100;

export function withMessage(stream: Stream, { what, data }: Message, at: number): Stream {
  const shape = `${what} ${shapeOf(data)}`;
  const isRepeat = stream.shapes.has(shape);
  const isKept = isRepeat || stream.shapes.size >= MAX_SHAPES;
  const shapes = isKept ? stream.shapes : new Set([...stream.shapes, shape]);
  const isSaidSo = saysHeartbeat(data);
  const heardBytes = stream.heardBytes + (what === 'messageReceived' ? data.length : 0);
  const next = { ...stream, shapes, heardBytes };
  if (what === 'messageSent') return sent(next, isRepeat || isSaidSo, at);
  // A heartbeat answers no other message.
  return isSaidSo && next.asks === 'something' ? beaten(next) : received(next, isRepeat || isSaidSo, at);
}

function sent(stream: Stream, isHeartbeat: boolean, at: number): Stream {
  if (isHeartbeat) return { ...stream, asks: 'a heartbeat', isIdle: true };
  return { ...stream, asks: 'something', isIdle: false, askedAt: at };
}

const beaten = (stream: Stream): Stream => ({
  ...stream,
  heard: stream.heard === 'news' ? 'news' : 'repeats',
  isIdle: true,
});

/** What answers a message of the page is none, and what answers a heartbeat is one, whatever it says. */
function received(stream: Stream, isRepeat: boolean, at: number): Stream {
  const isAnswer = stream.asks === 'something';
  const isHeartbeat = stream.asks === 'a heartbeat' || (isRepeat && !isAnswer);
  const heard = isHeartbeat && stream.heard !== 'news' ? 'repeats' : 'news';
  const next: Stream = { ...stream, asks: 'nothing', heard, isIdle: isHeartbeat };
  if (isHeartbeat) return next;
  return { ...next, answeredAt: at, ...(isAnswer && { talksSince: stream.talksSince ?? stream.askedAt }) };
}

/** Less is a greeting, such as a comment of an event stream. */
const LEAST_PART = 16;

export const withPart = (stream: Stream, bytes: number): Stream => ({
  ...stream,
  heard: 'news',
  isFeeding: stream.isFeeding || (stream.isInParts && (!stream.isOfEvents || bytes > LEAST_PART)),
  left: stream.left - bytes,
  heardBytes: stream.heardBytes + bytes,
});

/** Less is a value that changes in its place. */
const LEAST_GROWTH = 3;
/** A part may say something that is not shown. */
const MAX_BARREN = 2;

/** A message may name what it adds. */
const MOST_GROWTH = { body: 1, socket: 4, stream: 4, worker: Infinity } as const;
/** Of an unread body, only a few bytes may have come: the page has grown by what its script had. */
export const growthBy = ({ by, isFeeding, heardBytes }: Stream, growth: number): number =>
  !isFeeding && growth > MOST_GROWTH[by] * heardBytes + LEAST_GROWTH ? 0 : growth;

/** After a look at the page, with its growth since the last one; `isBeside` content that is whole. */
export function afterLook(
  stream: Stream,
  { growth, isBeside }: { growth: number; isBeside: boolean },
  at: number,
): Stream {
  const { by, heard, isFeeding, barren } = stream;
  const grown = stream.grown + Number(growth >= LEAST_GROWTH);
  if (heard === 'nothing') return stream;
  const next: Stream = { ...stream, heard: 'nothing', heardBytes: 0 };
  if (growth >= LEAST_GROWTH) {
    // What talks beside much text may have nothing more to say.
    const isGreeting = by === 'socket' && isBeside && grown === 1;
    return { ...next, isFeeding: !isGreeting, feedsAt: at, grown, barren: 0 };
  }
  const isBarren = heard === 'repeats' || barren + 1 >= MAX_BARREN;
  return { ...next, isFeeding: isFeeding && !isBarren, feedsAt: at, barren: barren + 1 };
}
