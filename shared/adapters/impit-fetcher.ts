import type { EgressPolicy } from '../egress/decide.ts';
import { openGuard } from '../egress/guard.ts';
import { staticFetch } from '../egress/static-fetch.ts';
import type { GetPage } from '../ports.ts';

/** Fetches the bytes of the target with Chrome's TLS and HTTP/2 fingerprint, each scrape through a guard of its own. */
export function impitFetcher(policy: EgressPolicy): GetPage {
  return async ({ url }, { signal }) => {
    await using guard = await openGuard(policy);
    return await staticFetch({ url }, guard, signal);
  };
}
