import type { Fact, Requested, Responded } from '../page/fact.ts';
import { keyOf, placeOf } from './open-request.ts';

/** A page that has polled is about to poll again. */
const POLLING_MS = 6_000;

export type Polls = {
  see: (fact: Fact) => void;
  areGoingOn: () => boolean;
  /** A server will have an answer later, as it has said or as the page does, which shows the progress. */
  isOwed: (isInProgress: boolean) => boolean;
};

/** They carry the time, a count or chance, so that no cache answers a poll. */
const VARIES =
  /[?&](?:(?:_|t|ts|time(?:stamp)?|n|i|r|rnd|rand(?:om)?|nonce|cb|cache\w*|attempt|try|retry|count|seq|since|cursor|last\w*)=[^&#]*|[^=&#]+=(?:\d{9,}|0?\.\d+)(?=[&#]|$))/gi;
const pollOf = (url: string) => keyOf(url.replace(VARIES, ''));

const isAsked = ({ isBackground, isRedirect }: Requested) => !isBackground && !isRedirect;

/** A request, by what polls ask again, and by where servers say that they have an answer. */
type Asked = { poll: string; place: string };

/** Places whose server has accepted a request, or said that it will have an answer there. */
function watchOwed() {
  const accepted = new Set<string>();
  const owed = new Set<string>();
  return {
    sent({ isGet, isForContent }: Requested, place: string) {
      // A report is accepted too, but not requested again.
      if (isGet && isForContent && accepted.has(place)) owed.add(place);
    },
    responded({ isNotYet, isAccepted, later }: Responded, place: string) {
      if (isAccepted) accepted.add(place);
      if (!isNotYet) for (const known of [owed, accepted]) known.delete(place);
      else if (later !== undefined) owed.add(placeOf(later));
    },
    are: () => owed.size > 0,
    clear: () => [accepted, owed].forEach((known) => known.clear()),
  };
}

/** Whether a document requests the same URL again and again, or is to come again later. */
export function watchPolls(now: () => number): Polls {
  const asked = new Map<string, Asked>();
  // Requests at the same time are no poll.
  const answered = new Set<string>();
  const owed = watchOwed();
  let polledAt = -Infinity;

  function sent(fact: Requested) {
    const request = { poll: pollOf(fact.url), place: placeOf(fact.url) };
    if (!fact.isNavigation) asked.set(fact.id, request);
    if (answered.has(request.poll)) polledAt = now();
    owed.sent(fact, request.place);
  }
  function ended(id: string): Asked | undefined {
    const request = asked.get(id);
    asked.delete(id);
    if (request) answered.add(request.poll);
    return request;
  }
  function responded(fact: Responded) {
    const request = ended(fact.id);
    if (fact.isNotYet) polledAt = now();
    if (request) owed.responded(fact, request.place);
  }
  function forget() {
    for (const known of [asked, answered, owed]) known.clear();
    polledAt = -Infinity;
  }
  return {
    see(fact) {
      if (fact.what === 'committed') forget();
      else if (fact.what === 'responded') responded(fact);
      else if (fact.what === 'failed') ended(fact.id);
      else if (fact.what === 'requested' && isAsked(fact)) sent(fact);
    },
    areGoingOn: () => now() - polledAt < POLLING_MS,
    isOwed: (isInProgress) => (owed.are() || isInProgress) && now() - polledAt < POLLING_MS,
  };
}
