import type { OpenRequest } from './open-request.ts';
import type { Patience } from './patience.ts';

/** More requests of a service worker are for files of the site, which it stores. */
const MAX_OF_SERVICE_WORKER = 2;
/** Page time in which a page requests what follows from a response. */
const NEXT_MS = 20;

/** A request that timers have repeated so often is periodic. */
const PERIODIC_TIMES = 2;

/** Which requests may bring something new. Counts the first response of each URL, but not of each poll. */
export function watchNews(patience: Pick<Patience, 'answers' | 'isBarren' | 'isNews'>) {
  // Chromium may report no end of a body that the page does not read.
  const [known, heard, opaque] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const times = new Map<string, number>();
  const timesOf = ({ poll }: OpenRequest) => times.get(poll) ?? 0;
  let [heardAt, ofServiceWorker, count] = [-Infinity, 0, 0];
  return {
    isKnown: (key: string) => known.has(key),
    isRepeat(id: string, request: OpenRequest): boolean {
      if (request.isOfServiceWorker && ofServiceWorker > MAX_OF_SERVICE_WORKER) return true;
      return request.isKnown || opaque.has(id) || patience.isBarren(request);
    },
    /** `at`, here and below, is the page's time. */
    sent(request: OpenRequest, at: number): OpenRequest {
      ofServiceWorker += Number(request.isOfServiceWorker);
      const isKnown = known.has(request.key) || heard.has(request.key);
      const isNext = at - heardAt <= NEXT_MS;
      return { ...request, isKnown, isNext, isPeriodic: !isNext && timesOf(request) >= PERIODIC_TIMES };
    },
    opaque: (id: string) => void opaque.add(id),
    isOpaque: (id: string) => opaque.has(id),
    heard(request: OpenRequest, at: number) {
      heard.add(request.key);
      heardAt = at;
      patience.answers(request);
    },
    ended(request: OpenRequest, at = heardAt) {
      heardAt = at;
      patience.answers(request);
      const { key, poll, isPicture, isOfServiceWorker } = request;
      times.set(poll, timesOf(request) + 1);
      // Tracking pixels use ever new URLs.
      if (isPicture || known.has(key)) return;
      known.add(key);
      if (isOfServiceWorker || timesOf(request) > 1 || patience.isBarren(request)) return;
      if (patience.isNews()) count += 1;
    },
    count: () => count,
  };
}
