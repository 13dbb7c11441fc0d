import { chromeFetcher } from '../../shared/adapters/web/chrome-fetcher.ts';
import { scrapeContext } from '../../test/support/world/scrape-context.ts';
import type { Contender } from '../contender.ts';
import '../trust-nobody.ts';

/** The functions' client, with a guard of its own for each page. */
export function guardedClient(origin: string): Contender {
  const fetchPage = chromeFetcher({ allow: [new URL(origin).host] }, () => Promise.resolve(undefined));
  return {
    name: 'the client behind the guard',
    async get({ path }) {
      const request = { url: origin + path, renderJs: false, premiumProxy: false, timeout: 10_000 };
      const { body } = await fetchPage(request, scrapeContext());
      return { body: Buffer.from(body).toString() };
    },
  };
}
