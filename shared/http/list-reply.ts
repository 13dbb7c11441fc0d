import type { Call } from './call.ts';
import { nextLink } from './next-link.ts';
import { json, type Reply } from './reply.ts';

/** One page of a list, which names the next one in its body and in `Link`. */
export function listReply(call: Call, data: readonly unknown[], nextCursor: string | undefined): Reply {
  if (nextCursor === undefined) return json(200, { data });
  return json(200, { data, next_cursor: nextCursor }, { Link: nextLink(call, nextCursor) });
}
