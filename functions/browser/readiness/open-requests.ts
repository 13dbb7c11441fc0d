import { createHash } from 'node:crypto';
import { MAX_URL_LENGTH } from '../../../shared/contract/scrape/page.ts';
import type { Fact, Requested } from '../page/network.ts';

/** Chromium reports no end of a body that the page does not read, so a silent response counts as ended. */
const UNREAD_MS = 400;
/** The same of a body that is read. */
const STALLED_MS = 2_000;

type OpenRequest = Pick<Requested, 'isPicture' | 'isRead'> & { key: string; heardAt?: number };

export type OpenRequests = {
  /** True if the fact ended a request. `loading` is the document's. */
  see: (fact: Fact, loading: string) => boolean;
  isFetching: () => boolean;
  isUnanswered: () => boolean;
  /** Counts the first response of each URL, so that polling is no news. */
  respondedUrls: () => number;
  count: () => number;
};

/** The document's requests. `onSilence` is called when one may have become silent, which fires no event. */
export function openRequests(onSilence: () => void, now: () => number): OpenRequests {
  const inFlight = new Map<string, OpenRequest>();
  const known = new Set<string>();
  const silence = setTimeout(onSilence, UNREAD_MS).unref();
  let count = 0;

  function heard(id: string) {
    const request = inFlight.get(id);
    if (request) request.heardAt = now();
    silence.refresh();
  }
  function finished(id: string): boolean {
    const request = inFlight.get(id);
    // Tracking pixels use ever new URLs.
    if (request && !request.isPicture) known.add(request.key);
    return inFlight.delete(id);
  }
  return {
    see(fact, loading) {
      if (fact.what === 'requested' && !fact.isBackground) {
        count += 1;
        const { id, url, isPicture, isRead } = fact;
        inFlight.set(id, { key: keyOf(url), isPicture, isRead });
      } else if (fact.what === 'responded' || fact.what === 'received') heard(fact.id);
      else if (fact.what === 'committed') keepOnly(inFlight, fact.id);
      else if (fact.what === 'stopped') return finished(loading);
      // A worker's script ends in the worker's own session.
      else if (fact.what === 'ended' || fact.what === 'failed' || fact.what === 'attached')
        return finished(fact.id);
      return false;
    },
    isFetching: () => inFlight.values().some((request) => isOpen(request, now)),
    isUnanswered: () =>
      inFlight.values().some(({ key, heardAt }) => heardAt === undefined && !known.has(key)),
    respondedUrls: () => known.size,
    count: () => count,
  };
}

/** A page may use URLs of megabytes. */
const keyOf = (url: string) =>
  url.length <= MAX_URL_LENGTH ? url : createHash('sha256').update(url).digest('base64');

const isOpen = ({ heardAt, isRead }: OpenRequest, now: () => number) =>
  heardAt === undefined || now() - heardAt < (isRead ? STALLED_MS : UNREAD_MS);

/** The previous document's requests no longer matter. */
function keepOnly(inFlight: Map<string, OpenRequest>, id: string): void {
  const request = inFlight.get(id);
  inFlight.clear();
  if (request) inFlight.set(id, request);
}
