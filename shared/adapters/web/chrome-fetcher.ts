import type { EgressPolicy } from '../../egress/decide.ts';
import { type Guard, prepareGuard } from '../../egress/guard.ts';
import { staticFetch } from '../../egress/fetch/static-fetch.ts';
import type { GetPage, PremiumProxy } from '../../ports/scrape.ts';

/** Each scrape has a guard of its own. The next one opens while the current scrape waits. */
export function chromeFetcher(policy: EgressPolicy, premiumProxy: PremiumProxy): GetPage {
  let next: Promise<Guard> | undefined;

  async function take(): Promise<Guard> {
    const taken = next ?? prepareGuard(policy);
    next = undefined;
    const guard = await taken;
    guard.begin();
    return guard;
  }
  function openNext(): void {
    next ??= prepareGuard(policy);
    // A failed attempt is repeated when it is needed.
    next.catch(() => (next = undefined));
  }
  return async (request, context) => {
    const { signal, maxBytes } = context;
    const upstreamUrl = await premiumProxy(request, context);
    const guard = await take();
    try {
      if (upstreamUrl !== undefined) guard.goThrough(upstreamUrl);
      const page = staticFetch({ ...request, maxBytes }, guard, signal);
      openNext();
      return await page;
    } finally {
      // The page need not wait for its sockets to close.
      setImmediate(() => void guard.close());
    }
  };
}
