import type { Fact, Requested, Responded } from '../page/fact.ts';
import { placeOf, pollOf, siteOf } from './open-request.ts';
import { type PollAnswers, pollAnswers } from './poll-answers.ts';

/** A page that has polled is about to poll again. */
const POLLING_MS = 6_000;
/** Page time between two polls of a page that looks whole: what is polled less often is no job. */
const BRISK_MS = 1_800;

export type Polls = {
  see: (fact: Fact) => void;
  areGoingOn: () => boolean;
  /** The same for something that a page which looks whole may wait for. */
  areBrisk: () => boolean;
  /** A server will have an answer later, as it has said or as the page does, which shows the progress. */
  isOwed: (isInProgress: boolean) => boolean;
  answers: Pick<PollAnswers, 'unread' | 'judge' | 'areDue' | 'arePending'>;
};

const isAsked = ({ isBackground, isRedirect, isForContent, isNavigation }: Requested) =>
  !isBackground && !isRedirect && (isForContent || isNavigation);

/** A request, by what polls ask again, and by where servers say that they have an answer. */
type Asked = { poll: string; place: string };

/** Of its own server, or of a frame: what another site polls or loads again is its own business. */
const isOwn = ({ url, isFramed, isPassive }: Requested, site: string) =>
  siteOf(url) === site || (isFramed && !isPassive);

/** Places whose server has accepted a request, fails for now, or has said that it will have an answer. */
function watchOwed() {
  const answers = pollAnswers();
  const deferred = new Set<string>();
  const owed = new Set<string>();
  return {
    sent({ method, isForContent }: Requested, place: string) {
      // A report is accepted too, but not requested again.
      if (method === 'GET' && isForContent && deferred.has(place)) owed.add(place);
    },
    responded(fact: Responded, place: string) {
      const { isNotYet, later } = fact;
      answers.responded(fact, place);
      if (!isNotYet) for (const known of [owed, deferred]) known.delete(place);
      else deferred.add(place);
      if (later !== undefined) owed.add(placeOf(later));
    },
    are: () => owed.size > 0 || answers.arePending(),
    answers: { ...answers, arePending: () => deferred.size > 0 || answers.arePending() },
    clear: () => [deferred, owed, answers].forEach((known) => known.clear()),
  };
}

/** When a request was last repeated after a response, and when sooner than a job is polled at most. */
function watchRepeats(now: () => number) {
  // Requests at the same time are no poll.
  const [answered, empty] = [new Set<string>(), new Set<string>()];
  const sentAt = new Map<string, number>();
  let [polledAt, briskAt] = [-Infinity, -Infinity];
  return {
    /** True if it repeats another soon. */
    sent(poll: string, at: number): boolean {
      const isRepeat = answered.has(poll);
      if (isRepeat) polledAt = now();
      const isBrisk = isRepeat && at - (sentAt.get(poll) ?? -Infinity) < BRISK_MS;
      // A page that waits for a job shows it.
      if (isBrisk && !empty.has(poll)) briskAt = now();
      sentAt.set(poll, at);
      return isBrisk;
    },
    answered(poll: string, isEmpty: boolean) {
      answered.add(poll);
      if (isEmpty) empty.add(poll);
      else empty.delete(poll);
    },
    areDue: () => void (polledAt = briskAt = now()),
    areGoingOn: () => now() - polledAt < POLLING_MS,
    areBrisk: () => now() - briskAt < POLLING_MS,
    clear() {
      for (const known of [answered, empty, sentAt]) known.clear();
      [polledAt, briskAt] = [-Infinity, -Infinity];
    },
  };
}

/** Whether a document requests the same URL again and again, or is to come again later. */
export function watchPolls(now: () => number): Polls {
  const asked = new Map<string, Asked>();
  const [repeats, owed] = [watchRepeats(now), watchOwed()];
  let [site, moving] = ['', ''];

  function sent(fact: Requested) {
    const request = { poll: pollOf(fact), place: placeOf(fact.url) };
    if (fact.isNavigation) moving = fact.id;
    else asked.set(fact.id, request);
    if (repeats.sent(request.poll, fact.at) && fact.method === 'GET') owed.answers.repeats(request.place);
    owed.sent(fact, request.place);
  }
  function ended(id: string, isEmpty = false): Asked | undefined {
    const request = asked.get(id);
    if (asked.delete(id) && request) repeats.answered(request.poll, isEmpty);
    return request;
  }
  function responded(fact: Responded) {
    const request = ended(fact.id, fact.isEmpty);
    if (fact.isNotYet && (request || fact.id === moving)) repeats.areDue();
    if (request) owed.responded(fact, request.place);
  }
  function begin(url: string) {
    for (const known of [asked, repeats, owed]) known.clear();
    site = siteOf(url);
  }
  return {
    see(fact) {
      owed.answers.see(fact);
      if (fact.what === 'committed') begin(fact.url);
      else if (fact.what === 'responded') responded(fact);
      else if (fact.what === 'failed') ended(fact.id);
      else if (fact.what === 'requested' && isAsked(fact) && isOwn(fact, site)) sent(fact);
    },
    areGoingOn: repeats.areGoingOn,
    areBrisk: repeats.areBrisk,
    answers: owed.answers,
    isOwed: (isInProgress) => (owed.are() || isInProgress) && repeats.areGoingOn(),
  };
}
