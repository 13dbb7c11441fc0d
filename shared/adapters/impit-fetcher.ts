import type { EgressPolicy } from '../egress/decide.ts';
import { openGuard } from '../egress/guard.ts';
import { staticFetch } from '../egress/static-fetch.ts';
import type { GetPage, PremiumProxy } from '../ports.ts';

/** Fetches the bytes of the target with Chrome's TLS and HTTP/2 fingerprint, each scrape through a guard of its own. */
export function impitFetcher(policy: EgressPolicy, premiumProxy: PremiumProxy): GetPage {
  return async (request, context) => {
    const upstreamUrl = await premiumProxy(request, context);
    await using guard = await openGuard(policy);
    if (upstreamUrl !== undefined) guard.goThrough(upstreamUrl);
    return await staticFetch(request, guard, context.signal);
  };
}
