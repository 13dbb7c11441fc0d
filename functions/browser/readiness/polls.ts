import type { Fact, Responded } from '../page/fact.ts';
import { placeOf } from './open-request.ts';

/** A page that has polled is about to poll again. */
const POLLING_MS = 6_000;

export type Polls = {
  see: (fact: Fact) => void;
  areGoingOn: () => boolean;
  /** A server has said that it will have an answer later, and has not given it. */
  isOwed: () => boolean;
};

/** Whether a document requests the same URL again and again, or is to come again later. */
export function watchPolls(now: () => number): Polls {
  const asked = new Map<string, string>();
  // Requests at the same time are no poll.
  const answered = new Set<string>();
  const owed = new Set<string>();
  let polledAt = -Infinity;

  function ended(id: string): string | undefined {
    const place = asked.get(id);
    asked.delete(id);
    if (place !== undefined) answered.add(place);
    return place;
  }
  function responded({ id, isNotYet, later }: Responded) {
    const place = ended(id);
    if (isNotYet) polledAt = now();
    if (place === undefined) return;
    if (!isNotYet) owed.delete(place);
    // Reports are accepted too, without a word on where to come again.
    else if (later !== undefined) owed.add(placeOf(later));
  }
  return {
    see(fact) {
      if (fact.what === 'committed') {
        for (const known of [asked, answered, owed]) known.clear();
        polledAt = -Infinity;
      } else if (fact.what === 'responded') responded(fact);
      else if (fact.what === 'failed') ended(fact.id);
      else if (fact.what === 'requested' && !fact.isBackground && !fact.isRedirect) {
        const place = placeOf(fact.url);
        if (!fact.isNavigation) asked.set(fact.id, place);
        if (answered.has(place)) polledAt = now();
      }
    },
    areGoingOn: () => now() - polledAt < POLLING_MS,
    isOwed: () => owed.size > 0 && now() - polledAt < POLLING_MS,
  };
}
