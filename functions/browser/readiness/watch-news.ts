import type { Fact } from '../page/fact.ts';
import type { OpenRequest } from './open-request.ts';
import type { Patience } from './patience.ts';

/** More requests of a service worker are for files of the site, which it stores. */
const MAX_OF_SERVICE_WORKER = 2;
/** Page time in which a page requests what follows from a response. */
const NEXT_MS = 20;
/** Page time without a response, after which it is a timer that sends what a loaded page sends. */
const TIMED_MS = 100;

/** A request that timers have repeated so often is periodic. */
const PERIODIC_TIMES = 2;

/** Which requests may bring something new. Counts the first response of each URL, but not of each poll. */
export function watchNews(patience: Pick<Patience, 'answers' | 'isBarren' | 'isNews'>) {
  // Chromium may report no end of a body that the page does not read.
  const [known, heard, opaque] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const causes = watchCauses();
  const stored = watchStored();
  let count = 0;
  const bring = (request: OpenRequest) => void (count += Number(patience.isNews(request)));
  return {
    note(fact: Fact) {
      causes.see(fact);
      if (fact.what === 'opaque') opaque.add(fact.id);
    },
    isKnown: (key: string) => known.has(key),
    isRepeat: (id: string, request: OpenRequest): boolean =>
      stored.has(request) || request.isKnown || opaque.has(id) || patience.isBarren(request),
    /** `at`, here and below, is the page's time. */
    sent(request: OpenRequest, at: number): OpenRequest {
      stored.sent(request);
      const isKnown = known.has(request.key) || heard.has(request.key);
      return { ...request, isKnown, ...causes.of(request, at) };
    },
    isOpaque: (id: string) => opaque.has(id),
    heard(request: OpenRequest, at: number) {
      heard.add(request.key);
      causes.answered(at);
      patience.answers(request);
      // What it does with it comes by a message, and it may leave its body unread.
      if (request.isOfServiceWorker && !stored.has(request)) bring(request);
    },
    ended(request: OpenRequest, at?: number) {
      const isAgain = causes.ended(request, at);
      patience.answers(request);
      // Tracking pixels use ever new URLs.
      if (request.isPicture || known.has(request.key)) return;
      known.add(request.key);
      if (!request.isOfServiceWorker && !isAgain && !patience.isBarren(request)) bring(request);
    },
    count: () => count,
  };
}

/** What a service worker requests to store it. */
function watchStored() {
  let count = 0;
  return {
    sent: ({ isOfServiceWorker }: OpenRequest) => void (count += Number(isOfServiceWorker)),
    has: ({ isOfServiceWorker }: OpenRequest) => isOfServiceWorker && count > MAX_OF_SERVICE_WORKER,
  };
}

/** Whether a response or a timer has led to a request. */
function watchCauses() {
  let [heardAt, isLoaded] = [-Infinity, false];
  const times = new Map<string, number>();
  return {
    see({ what }: Fact) {
      if (what === 'loaded' || what === 'committed') isLoaded = what === 'loaded';
    },
    answered: (at: number) => void (heardAt = at),
    /** True if the same request has ended before. */
    ended({ poll }: OpenRequest, at = heardAt): boolean {
      heardAt = at;
      const before = times.get(poll) ?? 0;
      times.set(poll, before + 1);
      return before > 0;
    },
    of({ poll }: OpenRequest, at: number) {
      const isNext = at - heardAt <= NEXT_MS;
      const isPeriodic = !isNext && (times.get(poll) ?? 0) >= PERIODIC_TIMES;
      return { isNext, isPeriodic, isTimed: isLoaded && at - heardAt > TIMED_MS };
    },
  };
}
