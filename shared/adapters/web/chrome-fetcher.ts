import { isRepeatable } from '../../contract/scrape/target-request.ts';
import type { EgressPolicy } from '../../egress/decide.ts';
import { openChromeClient } from '../../egress/fetch/chrome-client.ts';
import { type StaticRequest, staticFetch } from '../../egress/fetch/static-fetch.ts';
import { type Guard, prepareGuard } from '../../egress/guard.ts';
import { AppError } from '../../errors.ts';
import type { GetPage, PremiumProxy } from '../../ports/scrape.ts';
import { closeSoon, keptWays, type Way } from './kept-ways.ts';

/**
 * Each scrape has a guard of its own. The next one opens while the current scrape waits. Requests of the same
 * work share a guard and its connections, one after another.
 */
export function chromeFetcher(policy: EgressPolicy, premiumProxy: PremiumProxy): GetPage {
  const { take, openNext } = guards(policy);
  const overKept = keepingFetch(async () => {
    const guard = await take();
    return { guard, client: await openChromeClient(guard.url), openedAt: performance.now() };
  });
  return async (scrape, context) => {
    const { signal, maxBytes, mayFollow, connections } = context;
    const upstreamUrl = await premiumProxy(scrape, context);
    const request = { ...scrape, maxBytes, mayFollow };
    if (connections && upstreamUrl === undefined && isRepeatable(scrape))
      return overKept(request, connections, signal);
    const guard = await take();
    try {
      if (upstreamUrl !== undefined) guard.goThrough(upstreamUrl);
      const page = staticFetch(request, guard, signal);
      openNext();
      return await page;
    } finally {
      // The page need not wait for its sockets to close.
      setImmediate(() => void guard.close());
    }
  };
}

function guards(policy: EgressPolicy) {
  let next: Promise<Guard> | undefined;
  return {
    take: async (): Promise<Guard> => {
      const taken = next ?? prepareGuard(policy);
      next = undefined;
      const guard = await taken;
      guard.begin();
      return guard;
    },
    openNext: (): void => {
      next ??= prepareGuard(policy);
      // A failed attempt is repeated when it is needed.
      next.catch(() => (next = undefined));
    },
  };
}

function keepingFetch(open: () => Promise<Way>) {
  const ways = keptWays();
  const fetchOver = async (
    way: Way,
    request: StaticRequest,
    work: AsyncDisposableStack,
    signal: AbortSignal,
  ) => {
    try {
      const page = await staticFetch(request, way.guard, signal, way.client);
      ways.keep(work, way);
      return page;
    } catch (fault) {
      closeSoon(way);
      throw fault;
    }
  };
  return async (request: StaticRequest, work: AsyncDisposableStack, signal: AbortSignal) => {
    const way = ways.take(work);
    const page = way && (await fetchOver(way, request, work, signal).catch(unlessStale));
    return page ?? fetchOver(await open(), request, work, signal);
  };
}

/** A server may end a connection at the moment at which the next request is sent over it. */
function unlessStale(fault: unknown): undefined {
  if (!(fault instanceof AppError) || fault.code !== 'bad_upstream_response') throw fault;
}
