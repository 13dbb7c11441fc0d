import type { Fact, Responded } from '../page/fact.ts';
import { keyOf } from './open-request.ts';

/** A page that has polled is about to poll again. */
const POLLING_MS = 6_000;

export type Polls = {
  see: (fact: Fact) => void;
  areGoingOn: () => boolean;
  /** A server has said that it will have an answer later, and has not given it. */
  isOwed: () => boolean;
};

/** Some polls carry the time, so that no cache answers them. */
const placeOf = (url: string) => keyOf(url.replace(/[?#].*/s, ''));

/** Whether a document requests the same URL again and again, or is to come again later. */
export function watchPolls(now: () => number): Polls {
  const requested = new Set<string>();
  const asked = new Map<string, string>();
  const owed = new Set<string>();
  let polledAt = -Infinity;

  function responded({ id, isNotYet, later }: Responded) {
    const place = asked.get(id);
    asked.delete(id);
    if (isNotYet) polledAt = now();
    if (place === undefined) return;
    if (!isNotYet) owed.delete(place);
    // Reports are accepted too, without a word on where to come again.
    else if (later !== undefined) owed.add(placeOf(later));
  }
  return {
    see(fact) {
      if (fact.what === 'committed') {
        for (const known of [requested, asked, owed]) known.clear();
        polledAt = -Infinity;
      } else if (fact.what === 'responded') responded(fact);
      else if (fact.what === 'failed') asked.delete(fact.id);
      else if (fact.what === 'requested' && !fact.isBackground && !fact.isPicture && !fact.isRedirect) {
        const place = placeOf(fact.url);
        if (!fact.isNavigation) asked.set(fact.id, place);
        if (requested.has(place)) polledAt = now();
        requested.add(place);
      }
    },
    areGoingOn: () => now() - polledAt < POLLING_MS,
    isOwed: () => owed.size > 0 && now() - polledAt < POLLING_MS,
  };
}
