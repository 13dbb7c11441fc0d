import { z } from 'zod';
import { snakeKeys } from '../case.ts';
import { fields, type ScrapeRequest, scrapeFields, traitsOf } from './scrape-request.ts';

const SHAPING = Object.keys(scrapeFields).filter(
  (name) => name !== 'url' && traitsOf(name).shapesPage !== false,
);

/** What a request says of its page beside the URL, under the names at the border. */
export function shapingFields(request: Partial<ScrapeRequest>): Record<string, unknown> {
  const sent: Record<string, unknown> = snakeKeys(request);
  return Object.fromEntries(SHAPING.filter((name) => name in sent).map((name) => [name, sent[name]]));
}

/** The query that forgets the pages of a URL, whatever the fields. */
export const CacheQuery = z.strictObject({
  url: fields.shape.url.describe('The URL whose pages are forgotten, in any spelling.'),
});
