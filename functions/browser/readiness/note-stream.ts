import type { Fact, Received, Responded } from '../page/fact.ts';
import { siteOf } from './open-request.ts';
import { opened, type Stream, withMessage, withPart } from './stream.ts';

/** The site of the document, and the time. */
type Where = { site: string; at: number };

/** Keeps what is open. True if the fact ended a stream by which the page grew. */
export function noteStream(streams: Map<string, Stream>, fact: Fact, { site, at }: Where): boolean {
  if (fact.what === 'committed') streams.clear();
  if (fact.what === 'ended' || fact.what === 'failed' || fact.what === 'closed') return end(streams, fact.id);
  if (fact.what === 'streamed') {
    const before = streams.get(fact.id);
    const isOpen = before !== undefined || fact.by === 'stream';
    const isForeign = fact.url === undefined ? before?.isForeign === true : siteOf(fact.url) !== site;
    const openedAt = before?.openedAt ?? at;
    streams.set(fact.id, { ...opened(fact.by, at), isForeign, isOpen, openedAt });
  } else if (fact.what === 'requested' && (fact.isForParts || fact.isForContent))
    streams.set(fact.id, { ...opened('body', at), isFeeding: fact.isForParts });
  else if (fact.what === 'responded' || fact.what === 'received') return bodyNoted(streams, fact, at);
  else if (fact.what === 'messageReceived' || fact.what === 'messageSent') {
    const stream = streams.get(fact.id);
    if (stream) streams.set(fact.id, withMessage(stream, fact, at));
  }
  return false;
}

function bodyNoted(streams: Map<string, Stream>, fact: Responded | Received, at: number): boolean {
  const stream = streams.get(fact.id) ?? opened('body', at);
  if (stream.by !== 'body') return false;
  if (fact.what === 'responded' && fact.isAtomic) streams.delete(fact.id);
  if (fact.what === 'received' && stream.left <= fact.bytes) return end(streams, fact.id);
  if (fact.what === 'received' && streams.has(fact.id)) streams.set(fact.id, withPart(stream, fact.bytes));
  else if (fact.what === 'responded' && (fact.isInParts || streams.has(fact.id))) {
    streams.set(fact.id, {
      ...stream,
      isInParts: fact.isInParts,
      isOfEvents: fact.isOfEvents,
      feedsAt: at,
      left: fact.length ?? Infinity,
    });
  }
  return false;
}

function end(streams: Map<string, Stream>, id: string): boolean {
  const wasFeeding = streams.get(id)?.isFeeding === true;
  streams.delete(id);
  return wasFeeding;
}
