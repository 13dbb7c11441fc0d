import { cursorOf } from '../domain/cursor.ts';
import type { Call } from './call.ts';
import { nextLink } from './next-link.ts';
import { json, type Reply } from './reply.ts';

/** A page of a list ends before it has more, or after one item. */
const MAX_BYTES = 256 * 1_024;

type Shown<T> = {
  viewOf: (item: T) => unknown;
  /** The position behind an item, where the next page begins. */
  positionOf: (item: T) => string;
  /** The cursor of the page after all items, if there is one. */
  nextCursor: string | undefined;
};

/** One page of a list, which names the next one in its body and in `Link`. */
export function listReply<T>(
  call: Call,
  items: readonly T[],
  { viewOf, positionOf, nextCursor }: Shown<T>,
): Reply {
  const views = items.map(viewOf);
  const data = views.slice(0, fitting(views));
  const last = items[data.length - 1];
  const isCut = data.length < items.length && last !== undefined;
  const next = isCut ? cursorOf(positionOf(last)) : nextCursor;
  if (next === undefined) return json(200, { data });
  return json(200, { data, next_cursor: next }, { Link: nextLink(call, next) });
}

/** How many of these values, as JSON, fit on a page; at least one. */
export function fitting(values: readonly unknown[]): number {
  let bytes = 0;
  const first = values.findIndex((value, n) => {
    bytes += Buffer.byteLength(JSON.stringify(value));
    return n > 0 && bytes > MAX_BYTES;
  });
  return first < 0 ? values.length : first;
}
