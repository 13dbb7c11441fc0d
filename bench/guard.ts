import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chromeFetcher } from '../shared/adapters/web/chrome-fetcher.ts';
import type { Guard } from '../shared/egress/guard.ts';
import { staticFetch } from '../shared/egress/fetch/static-fetch.ts';
import { scrapeContext } from '../test/support/scrape-context.ts';
import { interleaved, median } from './measure.ts';
import './trust-nobody.ts';

const ROUNDS = 500;
const PAGE = Buffer.alloc(20_000, '<p>page</p>');
/** A client without a proxy. */
const NO_GUARD = { url: undefined, faultOf: () => undefined } as unknown as Guard;

/** A plain scrape on loopback with and without the guard. */
export async function guardRow() {
  const server = createServer((_, response) => response.end(PAGE)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = `http://${host}/`;
  const fetchPage = chromeFetcher({ allow: [host] }, () => Promise.resolve(undefined));
  const request = { url, renderJs: false, premiumProxy: false, timeout: 10_000 };
  const guarded = () => fetchPage(request, scrapeContext());
  const direct = () => staticFetch(request, NO_GUARD, scrapeContext().signal);
  const [without, withGuard] = await interleaved([direct, guarded], ROUNDS);
  server.close();
  server.closeAllConnections();
  const [a, b] = [median(without ?? []), median(withGuard ?? [])];
  return { without_p50_ms: a, with_p50_ms: b, added_ms: round(b - a), ratio: round(b / a) };
}

const round = (value: number) => Number(value.toFixed(3));
