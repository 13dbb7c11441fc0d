import { z } from 'zod';
import { camelCased } from './case.ts';

const MAX_URL_LENGTH = 8_192;

const fields = z.strictObject({
  url: z
    .string()
    .min(1)
    .max(MAX_URL_LENGTH)
    .describe('The page to fetch: an absolute http or https URL. Its fragment is not sent.')
    .meta({ format: 'uri', examples: ['https://example.com/'] }),
  render_js: z
    .boolean()
    .default(false)
    .describe('Load the page in Chromium and return the rendered DOM instead of the bytes of the target.'),
  premium_proxy: z.boolean().default(false).describe("Go out through the operator's premium upstream proxy."),
  timeout: z
    .int()
    .min(1_000)
    .max(120_000)
    .default(90_000)
    .describe('Milliseconds that the whole scrape may take.'),
});

/** What a caller asks for: the JSON body of a POST, and by the same names the query string of a GET. */
export const ScrapeRequest = camelCased(fields);
export type ScrapeRequest = z.infer<typeof ScrapeRequest>;

/** The names of the fields at the border, for query strings and for "did you mean". */
export const scrapeFields: Readonly<Record<string, z.ZodType>> = fields.shape;
