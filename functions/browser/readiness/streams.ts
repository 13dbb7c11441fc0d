import type { Shows } from '../page/document-reader.ts';
import type { Fact } from '../page/fact.ts';
import { siteOf } from './open-request.ts';
import { noteStream } from './note-stream.ts';
import { afterLook, growthBy, type Stream } from './stream.ts';

/** Wall-clock time that a page which shows its content gets from when it last grew. */
export const SHOWN_MS = 600;
/** How long a stream may be silent before its first message, before the next, and in all. */
const SILENCE_MS: Readonly<Record<Shows, { first: number; next: number; all: number }>> = {
  showing: { first: 600, next: 400, all: SHOWN_MS },
  unknown: { first: 1_000, next: 600, all: 3_000 },
  // What a person still waits for may come by it.
  waiting: { first: Infinity, next: Infinity, all: Infinity },
};
/** The same of a stream by which a page grows, or a socket by which one with little text talks. */
export const FEEDING_MS = 2_200;
const MAX_TALKING_MS = 4_500;
/** A page whose socket has ended may open another. */
const AGAIN_MS = 6_000;

/** A page of which a part is empty, or waits, may get it by a socket that has not answered yet. */
const GAP_MS = 4_000;

/** A page as its server has sent it may get more by what is open and has said nothing yet. */
const FIRST_MS = { withLittleText: 2_200, other: 900 };
/** An event stream that its server ends comes again. */
const EVENTS_AGAIN_MS = 1_000;

/**
 * By how much the page has grown since the last look, and whether responses have brought what it shows, or
 * nothing has, not even a script.
 */
export type Look = {
  growth: number;
  hasGap: boolean;
  isLittle: boolean;
  isFilled: boolean;
  isAsSent: boolean;
};

/** Sockets, event streams, shared workers and bodies, whose other ends have time of their own. */
export type Streams = {
  /** True if the fact ended a stream by which the page grew. */
  see: (fact: Fact) => boolean;
  sees: (look: Look) => void;
  /** The page grows by the data of this one. */
  isFeeding: (id: string) => boolean;
  /** How much longer content is waited for that comes in parts, or by a dialogue. */
  feedMs: () => number;
  /** A response comes in parts, which ends some time. */
  isWriting: () => boolean;
  /** The page has grown by a body that has not ended. */
  areUnfinished: () => boolean;
  /** How much longer any message is waited for. */
  ms: (shows: Shows) => number;
  /** What a page that waits may get a message by. */
  open: () => 'socket' | 'stream' | undefined;
  /** By what a part of the page may come, or all of a page as sent, that has said nothing. */
  awaits: () => 'socket' | 'stream' | undefined;
  /** Any but bodies. An event stream that has ended may come again. */
  areOpen: () => boolean;
};

export function openStreams(now: () => number): Streams {
  const streams = new Map<string, Stream>();
  let site = '';
  const endings = watchEndings(now);
  let look: Look | undefined;

  const feedMsOf = (stream: Stream) => feedMs(stream, look, now());
  const againMs = () => (look && mayTalk(look) ? EVENTS_AGAIN_MS - endings.sinceMs('stream') : 0);
  const anyFeedMs = () => Math.max(0, againMs(), ...streams.values().map(feedMsOf));
  return {
    see(fact) {
      if (fact.what === 'committed') [look, site] = [undefined, siteOf(fact.url)];
      endings.see(fact, streams);
      return noteStream(streams, fact, { site, at: now() });
    },
    sees(next) {
      const [isFirst, isBeside] = [!look, !next.isLittle && !next.hasGap && !look?.hasGap];
      look = next;
      for (const [id, stream] of streams) {
        // Before the first look, a socket or an event stream says hello.
        const growth = isFirst && stream.by !== 'body' ? 0 : growthBy(stream, next.growth);
        streams.set(id, afterLook(stream, { growth, isBeside }, now()));
      }
    },
    isFeeding: (id) => streams.get(id)?.isFeeding === true,
    feedMs: anyFeedMs,
    isWriting: () => streams.values().some((stream) => stream.by === 'body' && feedMsOf(stream) > 0),
    areUnfinished: () => streams.values().some(({ isInParts, grown }) => isInParts && grown > 0),
    ms: (shows) =>
      Math.max(anyFeedMs(), ...streams.values().map((stream) => silenceMs(stream, shows, now()))),
    open: () => kindOf([...streams.values()], endings.sinceMs('socket') < AGAIN_MS),
    awaits: () =>
      kindOf(
        [...streams.values()].filter((stream) => lacks(stream, look)),
        false,
      ),
    areOpen: () =>
      endings.sinceMs('stream') < EVENTS_AGAIN_MS || streams.values().some(({ by }) => by !== 'body'),
  };
}

/** Since when a socket or an event stream has ended: the page, or Chromium, may open another. */
function watchEndings(now: () => number) {
  let endedAt = { socket: -Infinity, stream: -Infinity };
  return {
    see({ what, ...fact }: Fact, streams: ReadonlyMap<string, Stream>) {
      const by = 'id' in fact ? streams.get(fact.id)?.by : undefined;
      if (what === 'committed') endedAt = { socket: -Infinity, stream: -Infinity };
      else if (by === 'socket' && (what === 'closed' || what === 'failed')) endedAt.socket = now();
      else if (by === 'stream' && what === 'ended') endedAt.stream = now();
    },
    sinceMs: (by: 'socket' | 'stream') => now() - endedAt[by],
  };
}

const isUnanswered = ({ by, askedAt, answeredAt }: Stream) => by === 'socket' && answeredAt < askedAt;

function feedMs(stream: Stream, look: Look | undefined, at: number): number {
  if (stream.isFeeding) return FEEDING_MS - (at - stream.feedsAt);
  if (lacksAnswer(stream, look)) return GAP_MS - (at - stream.askedAt);
  return Math.max(firstMs(stream, look, at), mayTalk(look, stream) ? talkMs(stream, at) : 0);
}

/** Beside what looks whole, another site's stream is its own business. */
const mayTalk = (look: Look | undefined, { isForeign }: Pick<Stream, 'isForeign'> = { isForeign: false }) =>
  !look || look.hasGap || (look.isLittle && !look.isFilled && !isForeign);

function firstMs(stream: Stream, look: Look | undefined, at: number): number {
  if (!isNew(stream) || !look || !(look.isAsSent || mayTalk(look))) return 0;
  if (stream.isForeign && !look.hasGap) return 0;
  const isLong = stream.by === 'socket' && look.isLittle && look.isAsSent;
  return FIRST_MS[isLong ? 'withLittleText' : 'other'] - (at - stream.askedAt);
}

const lacksAnswer = (stream: Stream, look: Look | undefined) => look?.hasGap === true && isUnanswered(stream);

/** A part of the page is missing, or all of it may be: it has little text, which its server has sent. */
const lacks = (stream: Stream, look: Look | undefined) =>
  lacksAnswer(stream, look) ||
  (isNew(stream) && !stream.isForeign && look?.isLittle === true && look.isAsSent);

/** A socket that is refused never says anything. */
const isNew = ({ by, isOpen, answeredAt }: Stream) =>
  isOpen && answeredAt === -Infinity && (by === 'socket' || by === 'stream');

function talkMs({ by, talksSince, isIdle, askedAt, answeredAt }: Stream, at: number): number {
  if (by !== 'socket' || talksSince === undefined || isIdle) return 0;
  const silentMs = at - Math.max(askedAt, answeredAt);
  return Math.min(FEEDING_MS - silentMs, MAX_TALKING_MS - (at - talksSince));
}

function silenceMs({ by, openedAt, askedAt, answeredAt }: Stream, shows: Shows, at: number): number {
  if (by === 'body') return 0;
  const { first, next, all } = SILENCE_MS[by === 'worker' && shows === 'waiting' ? 'unknown' : shows];
  const silent = answeredAt < askedAt ? first - (at - askedAt) : next - (at - answeredAt);
  return Math.min(silent, all - (at - openedAt));
}

function kindOf(streams: readonly Stream[], comesAgain: boolean): 'socket' | 'stream' | undefined {
  if (comesAgain || streams.some(({ by }) => by === 'socket')) return 'socket';
  return streams.some(({ by }) => by === 'stream') ? 'stream' : undefined;
}
