import { staticFetch } from '../shared/egress/fetch/static-fetch.ts';
import type { Guard } from '../shared/egress/guard.ts';
import { scrapeContext } from '../test/support/world/scrape-context.ts';
import { targetServer } from '../test/support/servers/target-server.ts';
import { guardedClient } from './contenders/plain.ts';
import { interleaved, median } from './measure.ts';

const ROUNDS = 500;
const PAGE = Buffer.alloc(20_000, '<p>page</p>');
/** A client without a proxy. */
const NO_GUARD = { url: undefined, faultOf: () => undefined } as unknown as Guard;

/** A plain scrape on loopback with and without the guard. */
export async function guardRow() {
  await using site = await targetServer((_, response) => response.end(PAGE));
  const request = { url: `${site.origin}/`, renderJs: false, premiumProxy: false, timeout: 10_000 };
  const { get } = guardedClient(site.origin);
  const guarded = () => get({ path: '/', holds: '' });
  const direct = () => staticFetch(request, NO_GUARD, scrapeContext().signal);
  const [without = [], withGuard = []] = await interleaved([direct, guarded], ROUNDS);
  const [a, b] = [median(without), median(withGuard)];
  return { without_p50_ms: a, with_p50_ms: b, added_ms: Number((b - a).toFixed(3)) };
}
